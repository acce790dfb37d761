import { expect, test } from 'vitest'
import { checkAuth } from '../../../../src/cli/doctor/auth-check.ts'

const provider = { type: 'jwt', verifyToken: () => null }
const check = (options: Partial<Parameters<typeof checkAuth>[0]>) =>
  checkAuth({ config: {}, host: '127.0.0.1', production: true, env: {}, ...options }).map(
    ({ status, message }) => `${status}: ${message}`,
  )

test('a missing console key is a warning in production', () => {
  const config = { authNext: { provider } }
  expect(check({ config, env: { SERVICE_CONSOLE_ACCESS_KEY: ' ' } })).toEqual([
    'ok: authNext with jwt',
    'warning: No console key is set: console routes respond with 401',
  ])
})

test('a console key of fewer than 16 bytes is an error in production', () => {
  const config = { authNext: { provider } }
  const withKey = (key: string, production = true) =>
    check({ config, production, env: { SERVICE_CONSOLE_ACCESS_KEY: key } })
  expect(withKey('hunter2')).toEqual([
    'ok: authNext with jwt',
    'error: SERVICE_CONSOLE_ACCESS_KEY has fewer than 16 bytes and can be guessed',
  ])
  expect(withKey(` ${'x'.repeat(15)} `)).toHaveLength(2)
  expect(withKey('x'.repeat(16))).toEqual(['ok: authNext with jwt'])
  expect(withKey('hunter2', false)).toEqual(['ok: authNext with jwt'])
  expect(check({ env: { SERVICE_CONSOLE_ACCESS_KEY: 'hunter2' } })).toContain(
    'error: SERVICE_CONSOLE_ACCESS_KEY has fewer than 16 bytes and can be guessed',
  )
})

test('a problem of the auth provider is an error', () => {
  const weak = { ...provider, problems: () => ['The secret is too short'] }
  expect(check({ config: { authNext: { provider: weak } } })).toEqual(['error: The secret is too short'])
})

test('the legacy auth option is a deprecation warning', () => {
  expect(check({ config: { auth: provider }, production: false })).toEqual([
    'ok: auth with jwt',
    'warning: The option auth is deprecated',
  ])
})
