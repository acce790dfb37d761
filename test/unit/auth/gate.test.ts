import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { accessPolicy } from '../../../src/auth/access-policy.ts'
import { Gate } from '../../../src/auth/gate.ts'
import type { GateRequest } from '../../../src/auth/gate.ts'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import type { AuthProvider } from '../../../src/contract/auth.ts'
import { ENDPOINTS } from '../../../src/contract/index.ts'

const provider: AuthProvider = {
  type: 'custom',
  verifyToken: (token) => (token === 'valid' ? { id: 'ada' } : null),
}

const gate = (production = false) =>
  new Gate({ policy: accessPolicy({ authNext: { provider } }, production), consoleKey: 'key', production })

const get = (
  path: string,
  headers: Readonly<Record<string, string>> = {},
  more: Partial<GateRequest> = {},
): GateRequest => ({
  request: new Request(`http://localhost${path}`, { headers }),
  target: { method: 'GET', path: new URL(`http://localhost${path}`).pathname },
  endpoint: undefined,
  repeatedHeaders: [],
  local: true,
  ...more,
})

const KEY = { 'x-console-access-key': 'key' }
const TOKEN = { authorization: 'Bearer valid' }
const BYPASS = { 'x-service-dev': 'true' }
const refused = { code: 'unauthorized' }

describe('a user route', () => {
  it('admits a valid token, with its user', async () => {
    expect(await gate().admit(get('/hello', TOKEN))).toEqual({
      user: { id: 'ada' },
      by: 'user',
      hasKey: false,
    })
  })

  it.each([{}, KEY, { authorization: 'Bearer wrong' }])('refuses %j', async (headers) => {
    await expect(gate().admit(get('/hello', headers))).rejects.toMatchObject({
      ...refused,
      headers: { 'WWW-Authenticate': 'Bearer realm="agentserver"' },
    })
  })
})

describe('a console route', () => {
  it('admits the key in header or query', async () => {
    expect(await gate().admit(get('/workflows', KEY))).toMatchObject({ by: 'console' })
    expect(await gate().admit(get('/workflows?key=key'))).toMatchObject({ by: 'console' })
  })

  it('refuses a token', async () => {
    await expect(gate().admit(get('/workflows', TOKEN))).rejects.toMatchObject(refused)
  })
})

describe('the development bypass', () => {
  it('admits local requests to both kinds of routes', async () => {
    expect(await gate().admit(get('/workflows', BYPASS))).toMatchObject({ by: 'bypass' })
    expect(await gate().admit(get('/hello', BYPASS))).toMatchObject({ by: 'bypass' })
  })

  it('is refused in production and for requests that are not local', async () => {
    await expect(gate(true).admit(get('/hello', BYPASS))).rejects.toMatchObject(refused)
    await expect(gate().admit(get('/hello', BYPASS, { local: false }))).rejects.toMatchObject(refused)
  })
})

it('a repeated credential header is refused, even if each value is valid', async () => {
  const repeated = { repeatedHeaders: ['authorization'] }
  await expect(gate().admit(get('/hello', TOKEN, repeated))).rejects.toMatchObject(refused)
  const other = { repeatedHeaders: ['accept'] }
  expect(await gate().admit(get('/hello', TOKEN, other))).toMatchObject({ by: 'user' })
})

it('a public execution route gets the user of a valid token, and other public routes none', async () => {
  const open = new Gate({ policy: accessPolicy({}, false), consoleKey: undefined, production: false })
  const withProvider = new Gate({
    policy: accessPolicy({ authNext: { provider, publicRoutes: ['/*'] } }, false),
    consoleKey: undefined,
    production: false,
  })
  const execute = { endpoint: ENDPOINTS.executeWorkflow }
  expect(await withProvider.admit(get('/x', TOKEN, execute))).toEqual({
    user: { id: 'ada' },
    by: 'user',
    hasKey: false,
  })
  expect(await withProvider.admit(get('/x', TOKEN, { endpoint: ENDPOINTS.listWorkflows }))).toMatchObject({
    by: 'public',
  })
  expect(await open.admit(get('/x', TOKEN, execute))).toMatchObject({ user: undefined, by: 'public' })
})

describe('a public route', () => {
  const admit = (own: Partial<AuthProvider>) => {
    const authNext = { provider: { ...provider, ...own }, publicRoutes: ['/*'] }
    const policy = accessPolicy({ authNext }, false)
    return new Gate({ policy, consoleKey: undefined, production: false }).admit(get('/hello', TOKEN))
  }

  it('does not wait for a provider that needs I/O, and has the user later', async () => {
    const answer = createDeferred<{ id: string }>()
    const { user, by, identified } = await admit({ verifyToken: () => answer.promise })
    expect([user, by]).toEqual([undefined, 'public'])
    answer.resolve({ id: 'ada' })
    expect(await identified).toEqual({ id: 'ada' })
    const io = async () => readFile(import.meta.filename).then(() => ({ id: 'ada' }))
    expect(await admit({ verifyToken: io })).toMatchObject({ user: undefined, by: 'public' })
  })

  it('has the user of a provider that answers without I/O, and of a local one', async () => {
    const answersAtOnce = async () => Promise.resolve().then(async () => Promise.resolve({ id: 'ada' }))
    expect(await admit({ verifyToken: answersAtOnce })).toMatchObject({ user: { id: 'ada' } })
    const local = async () => readFile(import.meta.filename).then(() => ({ id: 'ada' }))
    expect(await admit({ verifyToken: local, local: true })).toMatchObject({ user: { id: 'ada' } })
  })
})

it.each([undefined, '', '  '])('the console key %j is no key', async (consoleKey) => {
  const without = new Gate({
    policy: accessPolicy({ authNext: { provider } }, false),
    consoleKey,
    production: false,
  })
  expect(without.hasConsoleKey).toBe(false)
  await expect(without.admit(get('/workflows', { 'x-console-access-key': '' }))).rejects.toMatchObject(
    refused,
  )
})
