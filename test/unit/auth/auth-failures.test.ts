import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { accessPolicy } from '../../../src/auth/access-policy.ts'
import { AuthFailures } from '../../../src/auth/auth-failures.ts'
import type { GateRequest } from '../../../src/auth/gate.ts'

const MINUTE_MS = 60_000

const policy = accessPolicy({ authNext: { provider: { type: 'custom', verifyToken: () => null } } }, true)

const refused = (
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): GateRequest => ({
  request: new Request(`http://localhost${path}`, { headers }),
  target: { method, path: new URL(path, 'http://localhost').pathname },
  endpoint: undefined,
  repeatedHeaders: [],
  local: false,
})

function collect() {
  const logged: string[] = []
  const counted: string[] = []
  const failures = new AuthFailures({
    logger: { warn: (_: unknown, message: string) => void logged.push(message) } as never,
    count: (access) => void counted.push(access),
  })
  const fail = (source: string, path = '/hello?key=wrong') => failures.add(refused(path), policy, source)
  return { failures, logged, counted, fail }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('the first failure of a source is logged at once, further ones once a minute with their number', () => {
  const { logged, fail } = collect()
  for (let sent = 0; sent < 50; sent++) fail('10.0.0.1')
  fail('10.0.0.2')
  expect(logged).toEqual([
    'Refused 1 request with invalid credentials from 10.0.0.1',
    'Refused 1 request with invalid credentials from 10.0.0.2',
  ])
  vi.advanceTimersByTime(MINUTE_MS)
  expect(logged.slice(2)).toEqual(['Refused 49 requests with invalid credentials from 10.0.0.1'])
  fail('10.0.0.1')
  expect(logged).toHaveLength(3)
  vi.advanceTimersByTime(MINUTE_MS)
  expect(logged.slice(3)).toEqual(['Refused 1 request with invalid credentials from 10.0.0.1'])
})

it('a quiet source is forgotten, and logged at once when it fails again', () => {
  const { logged, fail } = collect()
  fail('10.0.0.1')
  vi.advanceTimersByTime(MINUTE_MS)
  expect([logged.length, vi.getTimerCount()]).toEqual([1, 0])
  fail('10.0.0.1')
  expect(logged).toHaveLength(2)
})

it('failures from more than 1,000 sources are logged together', () => {
  const { logged, fail } = collect()
  for (let source = 0; source < 1500; source++) fail(`source ${source}`)
  expect(logged).toHaveLength(1001)
  expect(vi.getTimerCount()).toBe(1001)
  vi.advanceTimersByTime(MINUTE_MS)
  expect(logged.slice(1001)).toEqual(['Refused 499 requests with invalid credentials from other addresses'])
})

it('all failures are counted by the credentials that the route requires', () => {
  const { counted, fail } = collect()
  fail('10.0.0.1')
  fail('10.0.0.1', '/workflows?key=wrong')
  expect(counted).toEqual(['user', 'console'])
})

it('requests without credentials are no failures', () => {
  const { failures, counted } = collect()
  failures.add(refused('/hello?token=of-another-meaning'), policy, '10.0.0.1')
  expect(counted).toEqual([])
  failures.add(refused('/rooms/a?token=wrong', {}, 'WS'), policy, '10.0.0.1')
  failures.add(refused('/hello', { authorization: 'Basic eDp5' }), policy, '10.0.0.1')
  failures.add(refused('/workflows', { 'x-console-access-key': '' }), policy, '10.0.0.1')
  expect(counted).toHaveLength(3)
})

it('what was counted is logged when the server stops', () => {
  const { failures, logged, fail } = collect()
  fail('10.0.0.1')
  fail('10.0.0.1')
  failures.close()
  expect(logged[1]).toBe('Refused 1 request with invalid credentials from 10.0.0.1')
  expect(vi.getTimerCount()).toBe(0)
})
