import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDatabase, describeOnPostgres } from '../support/postgres/test-database.ts'
import type { TestDatabase } from '../support/postgres/test-database.ts'
import { CliProject } from '../support/project/cli-project.ts'

let project: CliProject
beforeEach(() => {
  project = new CliProject()
})
afterEach(() => project.end())

type Env = Readonly<Record<string, string>>
const executed = async (userId: string, orderId: string, env: Env = {}) => {
  const input = JSON.stringify({ orderId, amount: 500 })
  const started = await project.json(['run-workflow', 'order', '--input', input, '--user', userId], { env })
  return (started.value as { executionId: string }).executionId
}
const users = async (env: Env = {}) => {
  const { value } = await project.json(['list', 'executions'], { env })
  return (value as { userId: string }[]).map(({ userId }) => userId)
}

describe('erase', () => {
  it('asks before, and names what it deleted, without a running server', async () => {
    const kept = await executed('ann', 'Zyxomma')
    project.write({
      'cases/order/kept.json': JSON.stringify({ target: {}, from: { executionId: kept, at: '' } }),
      'cases/order/named.json': '{ "input": { "by": "ann" } }',
      'cases/order/other.json': '{ "input": { "by": "anna" } }',
    })
    fs.writeFileSync(project.path('.agentserver/data.db.rescued-2026-11-27T10-00-00-000Z'), '')
    const asked = await project.run(['erase', '--user', 'ann'])
    expect(asked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Pass --yes to erase') })

    const erased = await project.run(['erase', '--user', 'ann', '--yes'])
    expect(erased).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/Erased the user "ann":/) })
    expect(erased.stdout).toMatch(/^ +1 {2}executions$/m)
    expect(erased.stdout).toMatch(/cases\/order\/kept\.json\n {2}cases\/order\/named\.json\n/)
    expect(erased.stdout).not.toContain('other.json')
    expect(erased.stdout).toContain('.agentserver/data.db.rescued-2026-11-27T10-00-00-000Z')
    const files = fs.readdirSync(project.path('.agentserver'))
    const having = (name: string) => fs.readFileSync(project.path(`.agentserver/${name}`)).includes('Zyxomma')
    expect(files.filter((name) => having(name))).toEqual([])
  })

  it('works with a running server, and prints JSON', async () => {
    await project.serve('dev')
    await executed('ann', 'one')
    await executed('bob', 'two')
    const { exitCode, value } = await project.json(['erase', '--user', 'ann', '--yes'])
    expect(exitCode).toBe(0)
    expect(value).toMatchObject({ userId: 'ann', rows: { executions: 1 }, keptCases: [], copies: [] })
    expect(await users()).toEqual(['bob'])
    const again = await project.run(['erase', '--user', 'ann', '--yes'])
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Nothing of the user "ann"') })
  })
})

describeOnPostgres('erase on Postgres', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await createDatabase()
  })
  afterEach(() => database.drop())

  it('deletes what a user has', async () => {
    const env = { DATABASE_URL: database.url }
    await project.run(['migrate'], { env })
    await executed('ann', 'one', env)
    await executed('bob', 'two', env)
    const { value } = await project.json(['erase', '--user', 'ann', '--yes'], { env })
    expect(value).toMatchObject({ rows: { executions: 1, milestones: expect.any(Number) } })
    expect(await users(env)).toEqual(['bob'])
  })
})
