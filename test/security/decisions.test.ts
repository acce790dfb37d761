import { fileURLToPath } from 'node:url'
import type { AgentServerConfig, AuthorizeRequest } from 'agentserver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ENDPOINT_LIST } from '../../src/contract/index.ts'
import { readText, root } from '../docs/pages.ts'
import { replaceBlocks } from '../docs/reference/generated-blocks.ts'
import { table } from '../docs/reference/markdown.ts'
import { DEV, bearer, keyHeader, provider, tokenOf } from '../support/server/guarded-server.ts'
import { Desk, INTERFACES } from './decision-interfaces.ts'
import type { Declared, DecisionInterface } from './decision-interfaces.ts'

/** Somebody who decides about what `ada` asked for, under rules. */
interface Role {
  readonly name: string
  readonly rules: Pick<AgentServerConfig, 'auth' | 'authNext'>
  readonly as: Readonly<Record<string, string>>
  /** What the workflows and tools declare. */
  readonly declared?: Declared
  /** Did not ask. */
  readonly isOther?: true
}

const ada = bearer(await tokenOf({ sub: 'ada' }))
const bob = bearer(await tokenOf({ sub: 'bob' }))
const authorize = ({ action }: AuthorizeRequest) => action !== 'resume'
const byDefault = { authNext: { provider: provider() } }
const strict = { authNext: { provider: provider(), ownership: 'strict' } } as const
const refused = { authNext: { provider: provider(), authorize } }
const ROLES: readonly Role[] = [
  { name: 'The user who asked', rules: byDefault, as: ada },
  { name: 'The same, `authorize` refuses `resume`', rules: refused, as: ada },
  { name: 'Other user', rules: byDefault, as: bob, isOther: true },
  { name: "Other user, `ownership: 'strict'`", rules: strict, as: bob, isOther: true },
  { name: 'No token', rules: byDefault, as: {} },
  { name: 'Console key', rules: byDefault, as: keyHeader() },
  { name: 'Development bypass', rules: byDefault, as: DEV },
]

const others = { resumableBy: 'others', by: 'others' } as const
const operators = { resumableBy: 'operators', by: 'operators' } as const
/** Those whose decisions are declared where the workflow and the tool are. */
const DECLARED_ROLES: readonly Role[] = [
  { name: 'The user who asked, `others`', rules: byDefault, as: ada, declared: others },
  { name: 'Other user, `others`', rules: byDefault, as: bob, declared: others, isOther: true },
  {
    name: "Other user, `others`, `ownership: 'strict'`",
    rules: strict,
    as: bob,
    declared: others,
    isOther: true,
  },
  { name: 'The user who asked, `operators`', rules: byDefault, as: ada, declared: operators },
  { name: 'Other user, `operators`', rules: byDefault, as: bob, declared: operators, isOther: true },
  { name: 'Development bypass, `operators`', rules: byDefault, as: DEV, declared: operators },
]

type Cell = 'yes' | 'no' | '–'

/** Whether what waited ran after the decision. */
async function decided(
  { begin, isOneCall }: DecisionInterface,
  { as, isOther }: Role,
  desk: Desk,
): Promise<Cell> {
  if (isOneCall && isOther) return '–'
  const decide = await begin(desk)
  expect(desk.ran).toBe(0)
  await decide(as)
  const { ran } = desk
  desk.ran = 0
  // whoever may not decide is not asked
  if (ran === 0) expect(desk.forms).toBe(0)
  desk.forms = 0
  expect(ran).toBeLessThanOrEqual(1)
  return ran === 1 ? 'yes' : 'no'
}

/** Nothing is declared about forms and questions of tools, and about the outputs of a client's tool in a chat. */
function isDeclared(one: DecisionInterface | undefined): boolean {
  const { action = '', over } = one ?? {}
  return !/(form|question) of a tool/.test(action) && !(action.includes("client's tool") && over === 'chat')
}

describe('decisions', () => {
  const all = [...ROLES, ...DECLARED_ROLES]
  const desks = all.map(({ rules, declared }) => new Desk(rules, ada, declared))
  const matrix: Cell[][] = []
  beforeAll(async () => {
    for (const one of INTERFACES) {
      const cells: Cell[] = []
      for (const [index, role] of all.entries()) cells.push(await decided(one, role, desks[index] as Desk))
      matrix.push(cells)
    }
  })
  afterAll(() => Promise.all(desks.map(({ server }) => server.close())))
  const column = (role: Role) => matrix.map((cells) => cells[all.indexOf(role)])

  it('are made over interfaces that all endpoints together declare', () => {
    const declared = ENDPOINT_LIST.filter(([, { decides }]) => decides !== undefined).map(([key]) => key)
    expect([...new Set(INTERFACES.map(({ endpoint }) => endpoint))].toSorted()).toEqual(declared.toSorted())
  })

  it('ask `resume` over every interface', () => {
    for (const role of ROLES.filter(({ rules }) => rules === refused))
      expect(column(role)).toEqual(INTERFACES.map(() => 'no'))
  })

  it('are made by the user who asked over every interface but that of the console', () => {
    for (const role of ROLES.filter(({ rules, as }) => rules === byDefault && as === ada))
      expect(column(role)).toEqual(INTERFACES.map(({ over }) => (over === 'HTTP, console' ? 'no' : 'yes')))
  })

  it('are made only by whom the workflow and the tool declare, over every interface', () => {
    const cells = (name: string) => column(DECLARED_ROLES.find((role) => role.name === name) as Role)
    for (const name of ['The user who asked, `operators`', 'Other user, `operators`'])
      expect(cells(name).filter((cell, index) => cell === 'yes' && isDeclared(INTERFACES[index]))).toEqual([])
    expect(
      cells('The user who asked, `others`').filter(
        (cell, index) => cell === 'yes' && isDeclared(INTERFACES[index]),
      ),
    ).toEqual([])
  })

  it('have the table of docs/guides/auth.md; `npm run docs` rewrites it', async () => {
    const page = 'docs/guides/auth.md'
    const tableOf = (roles: readonly Role[]) =>
      table(
        ['Decision', 'Over', ...roles.map(({ name }) => name)],
        INTERFACES.map(({ action, over }, index) => [
          action,
          over,
          ...roles.map((role) => matrix[index]?.[all.indexOf(role)] ?? ''),
        ]),
      )
    const blocks = { decisions: tableOf(ROLES), 'declared-decisions': tableOf(DECLARED_ROLES) }
    const current = replaceBlocks(readText(page), blocks)
    await expect(current).toMatchFileSnapshot(fileURLToPath(new URL(page, root)))
  })
})
