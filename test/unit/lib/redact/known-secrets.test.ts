import { expect, test } from 'vitest'
import { headerSecrets, KnownSecrets, secretsIn } from '../../../../src/lib/redact/known-secrets.ts'

test('credentials are found by name, plain and encoded as in requests', () => {
  expect(secretsIn({ SERVICE_CONSOLE_ACCESS_KEY: ' key ', OPENAI_API_KEY: 'sk/1', NAME: 'value-1' })).toEqual(
    ['key', 'sk/1', 'sk%2F1'],
  )
  expect(secretsIn({ STRIPE_API_KEY: 'str1pe-value', DB_PASSWORD: 'p4ssw0rd!' })).toContain('str1pe-value')
  expect(secretsIn({ SERVICE_PUBLIC_KEY: 'pk-lf-1', SERVICE_SECRET_KEY: 'sk-lf-1' })).toContain(
    Buffer.from('pk-lf-1:sk-lf-1').toString('base64'),
  )
})

test.each([
  ['PWD', '/home/ada/project'],
  ['OLDPWD', 'C:\\projects\\one'],
  ['DB_PASSWORD', 'postgres'],
  ['USE_TOKEN', 'true'],
  ['TOKEN_COUNT', '1234567890'],
  ['TOKEN_URL', 'https://example.com/token'],
  ['GOOGLE_APPLICATION_CREDENTIALS', './key.json'],
])('%s=%s is not a secret', (name, value) => expect(secretsIn({ [name]: value })).toEqual([]))

test('values follow changes of the environment, and are the same array while it is unchanged', () => {
  let now = 0
  const env: Record<string, string> = { API_KEY: 'first-key-1' }
  const secrets = new KnownSecrets(env, { now: () => now })
  const first = secrets.values()
  expect(first).toEqual(['first-key-1'])
  now += 10_000
  expect(secrets.values()).toBe(first)
  env['API_KEY'] = 'second-key-2'
  secrets.refresh()
  expect(secrets.values()).toEqual(['second-key-2'])
  env['API_KEY'] = 'third-key-3'
  now += 10_000
  expect(secrets.values()).toEqual(['third-key-3'])
})

test('credentials are found in headers, also in those of the trace export', () => {
  const headers = {
    authorization: 'Bearer t0ken-of-mine',
    'x-api-key': 'k3y-of-mine',
    'x-team': 'blue-whales-2',
    'x-honeycomb-team': 'abcdefghij0123456789kl',
    accept: 'application/json',
  }
  expect(headerSecrets(headers)).toEqual(['t0ken-of-mine', 'k3y-of-mine', 'abcdefghij0123456789kl'])
  const list = 'authorization=Basic%20dXNlcjpwYXNz,api-key=k3y-of-mine,x-team=blue-whales-2'
  expect(secretsIn({ OTEL_EXPORTER_OTLP_HEADERS: list })).toEqual(['dXNlcjpwYXNz', 'k3y-of-mine'])
})
