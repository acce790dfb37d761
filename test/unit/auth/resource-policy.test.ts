import type { AuthNext, AuthorizeRequest } from 'agentserver'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { resourcePolicy } from '../../../src/auth/resource-policy.ts'
import { authProblems } from '../../../src/config/rules/auth-rules.ts'
import { idOfUser, userKey } from '../../../src/contract/access/user-key.ts'

const provider = { type: 'test', verifyToken: () => null }
const ada = async () => ({ id: 'ada' })
const ofAda = { kind: 'execution', id: 'e', owner: '"ada"' } as const

describe('authorize', () => {
  afterEach(() => void vi.useRealTimers())

  it('fails when it does not decide within ten seconds', async () => {
    vi.useFakeTimers()
    const policy = resourcePolicy({
      authNext: { provider, authorize: () => new Promise(() => undefined) },
    })
    const failure = policy.allows(ada, 'read', ofAda).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await failure).toMatchObject({ code: 'internal' })
  })

  it('gets the claims as the owner of an execution of a user without an id, never nothing', async () => {
    const asked: AuthorizeRequest[] = []
    const authorize = (request: AuthorizeRequest) => asked.push(request) > 0
    const policy = resourcePolicy({ authNext: { provider, authorize } })
    const owner = userKey({ role: 'clerk' })
    expect(await policy.allows(ada, 'read', { ...ofAda, owner })).toBe(true)
    expect(asked[0]?.resource.ownerId).toBe('{"role":"clerk"}')
  })
})

it('the default rule asks the provider for the user only where there is an owner', async () => {
  const user = vi.fn<typeof ada>(ada)
  const policy = resourcePolicy({ authNext: { provider } })
  expect(await policy.allows(user, 'read', { ...ofAda, owner: null })).toBe(true)
  expect(user).not.toHaveBeenCalled()
  expect(await policy.allows(user, 'read', ofAda)).toBe(true)
  expect(await policy.allows(async () => undefined, 'read', ofAda)).toBe(false)
})

it('only the claims that decisions depend on are relevant: the id, or all where authorize or the lack of an id needs them', () => {
  const eve = { id: 'eve', role: 'clerk', email: 'eve@example.com' }
  const anonymous = { role: 'clerk' }
  for (const rules of [{}, { ownership: 'strict' }] as const) {
    const { relevant } = resourcePolicy({ authNext: { provider, ...rules } })
    expect([relevant(eve), relevant(anonymous)]).toEqual([{ id: 'eve' }, anonymous])
  }
  expect(resourcePolicy({ auth: provider }).relevant(eve)).toEqual({ id: 'eve' })
  expect(resourcePolicy({ authNext: { provider, authorize: () => true } }).relevant(eve)).toEqual(eve)
})

it('users are told apart by id, also by a number, or else by their claims', () => {
  expect(userKey({ id: 42 } as never)).toBe(userKey({ id: '42' }))
  expect(idOfUser({ id: 42 } as never)).toBe('42')
  expect(userKey({ id: 'ada', role: 'a' })).toBe(userKey({ id: 'ada', role: 'b' }))
  expect(userKey({ role: 'a' })).not.toBe(userKey({ role: 'b' }))
  expect(userKey({})).not.toBe(userKey({ id: '{}' }))
  expect(idOfUser({ role: 'a' })).toBeUndefined()
})

it.each([
  [{ authorize: true }, 'authNext.authorize: must be a function ({ user, action, resource }) => boolean'],
  [{ ownership: 'loose' }, "authNext.ownership: must be 'strict' or omitted"],
  [
    { ownership: 'strict', authorize: () => true },
    'authNext.ownership: has no effect beside authorize, which decides alone; remove one of the two',
  ],
])('a configuration with %j has a problem', (options, problem) => {
  expect(authProblems({ authNext: { provider, ...options } as AuthNext })).toEqual([problem])
})
