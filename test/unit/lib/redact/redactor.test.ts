import { expect, test } from 'vitest'
import { createRedactor } from '../../../../src/lib/redact/redactor.ts'

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c2VyLTEifQ.c2lnbmF0dXJlLW9mLXRoaXM'
const redactor = createRedactor()

test.each([
  [`sent ${JWT}, refused`, 'sent [redacted], refused'],
  ['Authorization: Bearer abc.def-1', 'Authorization: Bearer [redacted]'],
  ['bearer s3cr3t', 'bearer [redacted]'],
  ['authorization: Basic dXNlcjpwYXNz', 'authorization: Basic [redacted]'],
  ['Incorrect API key provided: sk-proj-abc123def456.', 'Incorrect API key provided: [redacted].'],
  ['key sk-ant-api03-AbCdEfGhIjKl used', 'key [redacted] used'],
  ['postgres://app:hunter2@db.example/orders', 'postgres://app:[redacted]@db.example/orders'],
  ['Host=db;Password=hunter2;Port=1', 'Host=db;Password=[redacted];Port=1'],
  ['DB_PASSWORD="two words" npm start', 'DB_PASSWORD=[redacted] npm start'],
  ['GET /pay?id=7&access_token=abc&x=1', 'GET /pay?id=7&access_token=[redacted]&x=1'],
  ['answered {"id":7,"apiKey":"abc","pin":1}', 'answered {"id":7,"apiKey":"[redacted]","pin":1}'],
  ['{"apiKeys":["a","b"],"n":1}', '{"apiKeys":"[redacted]","n":1}'],
  ['[{"credentials":{"user":"}","pin":{"a":[1]}},"x":{}}]', '[{"credentials":"[redacted]","x":{}}]'],
  ['{"n":1,"secrets": [{"a":"b', '{"n":1,"secrets": "[redacted]"'],
  ['body "{\\"password\\":\\"abc\\"}"', 'body "{\\"password\\":\\"[redacted]\\"}"'],
])('%s', (text, safe) => expect(redactor.text(text)).toBe(safe))

test.each([
  'password: must have 8 characters',
  'The bearer of this letter, a Bearer token, Bearer authentication',
  'Bearer realm="agentserver"',
  'Used 512 tokens of maxTokens=4096',
  'if (token==null) secret=true, password= or password: required',
  '{"inputTokens":12,"tokenCount":3}',
  '{"tokens":{"input":12,"output":3},"list":[{"a":1}]}',
  'task-management, risk-free, desk-2',
  'https://example.com/a?page=2&key=name',
  'Time 10:20, user@example.com',
  'the secret is out',
])('ordinary text is unchanged: %s', (text) => expect(redactor.text(text)).toBe(text))

test('known values are redacted everywhere, after a change the new ones', () => {
  let known: readonly string[] = ['console-key-1']
  const redactor = createRedactor(() => known)
  expect(redactor.text('?key=console-key-1&x')).toBe('?key=[redacted]&x')
  known = ['other.key+2']
  expect(redactor.text('console-key-1 other.key+2')).toBe('console-key-1 [redacted]')
})

test('a short known value is redacted only as a separate word', () => {
  const short = createRedactor(() => ['demo', 'x'])
  expect(short.text('demo demonstration x')).toBe('[redacted] demonstration x')
})

test('values under sensitive names and credentials in strings are redacted at any depth', () => {
  const value = { user: { apiKey: 'abc', list: [{ 'x-api-key': ['a'], note: `is ${JWT}` }] }, maxTokens: 5 }
  expect(redactor.value(value)).toEqual({
    user: { apiKey: '[redacted]', list: [{ 'x-api-key': '[redacted]', note: 'is [redacted]' }] },
    maxTokens: 5,
  })
})

test('values that JSON cannot represent are converted or described', () => {
  const error = new TypeError('no', { cause: new Error('token sk-12345678901') })
  const shown = redactor.value({
    big: 12n,
    nan: Number.NaN,
    when: new Date(0),
    bad: new Date(Number.NaN),
    map: new Map<unknown, unknown>([
      ['password', 'x'],
      ['a', 1],
    ]),
    set: new Set([1]),
    bytes: Buffer.from('abc'),
    headers: new Headers({ authorization: 'x', accept: '*' }),
    call: () => 1,
    error: Object.assign(error, { code: 'E_NO', token: 'abc' }),
    url: new URL('https://a:b@c.example/'),
  })
  expect(shown).toMatchObject({
    big: '12',
    nan: 'NaN',
    when: '1970-01-01T00:00:00.000Z',
    bad: 'Invalid Date',
    map: { password: '[redacted]', a: 1 },
    set: [1],
    bytes: '[Buffer of 3 bytes]',
    headers: { authorization: '[redacted]', accept: '*' },
    call: '[Function]',
    error: {
      type: 'TypeError',
      message: 'no',
      code: 'E_NO',
      token: '[redacted]',
      cause: { message: 'token [redacted]' },
    },
    url: 'https://a:[redacted]@c.example/',
  })
})

test('hostile values neither throw nor exceed the limits', () => {
  const loop: Record<string, unknown> = { a: 1 }
  loop['self'] = loop
  const shared = { x: 1 }
  const throwing = {
    ok: 1,
    get bad(): never {
      throw new Error('no')
    },
  }
  const proxy = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('no')
      },
    },
  )
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  const throwingToJson = {
    toJSON: () => {
      throw new Error('no')
    },
  }
  let deep: unknown = 'end'
  for (let level = 0; level < 10_000; level++) deep = [deep]
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, 'v'.repeat(100)]))
  const tree = Array.from({ length: 300 }, () => Array.from({ length: 300 }, () => 'x'.repeat(1000)))
  const value = {
    loop,
    twice: [shared, shared],
    throwing,
    proxy,
    revoked: revoked.proxy,
    throwingToJson,
    deep,
    wide,
    tree,
  }
  const shown = redactor.value(value) as Record<string, unknown>
  expect(shown).toMatchObject({
    loop: { a: 1, self: '[Circular]' },
    twice: [{ x: 1 }, { x: 1 }],
    throwing: { ok: 1, bad: '[unreadable]' },
    proxy: '[unreadable]',
    revoked: '[unreadable]',
    throwingToJson: '[unreadable]',
  })
  expect(JSON.stringify(shown).length).toBeLessThan(200_000)
  expect((redactor.value('x'.repeat(10_000_000)) as string).length).toBeLessThan(20_000)
  expect(redactor.value(JSON.parse('{"__proto__":{"token":"x"}}'))).toEqual(
    JSON.parse('{"__proto__":{"token":"[redacted]"}}'),
  )
})

test('long text is redacted in linear time', () => {
  const slow: string[] = []
  for (const part of [
    'a',
    '"',
    '\\"',
    'eyJ',
    'eyJ-',
    'gho_',
    'AIza-',
    'http://',
    '?a=',
    'Bearer ',
    '://x:',
    'sk-',
    '"a":',
    '"a":{',
    '"token":{',
    '"tokens":{"a":1},',
    'token=',
  ]) {
    const text = part.repeat(200_000 / part.length)
    const { user } = process.cpuUsage()
    redactor.text(text)
    if (process.cpuUsage().user - user > 1_000_000) slow.push(part)
  }
  expect(slow).toEqual([])
})
