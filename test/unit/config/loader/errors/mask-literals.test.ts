import { describe, expect, it } from 'vitest'
import { codeFrame } from '../../../../../src/config/loader/errors/code-frame.ts'
import { maskLiterals } from '../../../../../src/config/loader/errors/mask-literals.ts'

describe('the password of a URL is masked', () => {
  it.each([
    [`database: 'postgres://ann:abc@db/shop'`, `database: 'postgres://ann:***@db/shop'`],
    [`database: "postgres://ann:a@b/c@db/shop"`, `database: "postgres://ann:*****@db/shop"`],
    ['// postgres://ann:abc@db:5432/shop', '// postgres://ann:***@db:5432/shop'],
    [`'http://localhost:3000/path', 'ann@example.com'`, `'http://localhost:3000/path', 'ann@example.com'`],
  ])('%s', (source, masked) => {
    expect(maskLiterals(source)).toBe(masked)
  })
})

describe('a string literal after a sensitive name is masked', () => {
  it.each([
    [`secret: 'abc'`, `secret: '***'`],
    [`const apiKey = "abc"`, `const apiKey = "***"`],
    [`{ 'x-api-key': 'abc' }`, `{ 'x-api-key': '***' }`],
    [`{"password": "abc"}`, `{"password": "***"}`],
    ['const token = `abc ${user}`', 'const token = `***********`'],
    ['privateKey: `-----BEGIN\nabc\n-----END`,', 'privateKey: `**********\n***\n********`,'],
    [`secret: process.env.SECRET ?? 'abc'`, `secret: process.env.SECRET ?? '***'`],
    [`secret: production ? fallback : 'abc'`, `secret: production ? fallback : '***'`],
    [`const secret: string = 'abc'`, `const secret: string = '***'`],
    [`(secret: string = 'abc', name: string = 'Ada')`, `(secret: string = '***', name: string = 'Ada')`],
    [`jwtSecret =\n  'abc'`, `jwtSecret =\n  '***'`],
    [`password: one\n  ?? 'abc'`, `password: one\n  ?? '***'`],
    [`createSecretKey('abc', 'utf8')`, `createSecretKey('***', '****')`],
    [`headers.set('Authorization', 'Bearer abc')`, `headers.set('Authorization', '**********')`],
    [`process.env['API_KEY'] ||= 'abc'`, `process.env['API_KEY'] ||= '***'`],
    [`secrets: ['abc', 'def']`, `secrets: ['***', '***']`],
    [`password: 'token'`, `password: '*****'`],
    [`password: 'it\\'s'`, `password: '*****'`],
    [`secret: 'abc, name: 1`, `secret: '************`],
    ['secret: `abc\nname: 1', 'secret: `***\n*******'],
    [`// secret: 'abc', don't use it`, `// secret: '***', don't use it`],
    [`/* don't: secret = "abc" */`, `/* don't: secret = "***" */`],
    [`const quote = /'/; const secret = 'abc'`, `const quote = /'/; const secret = '***'`],
    [`split(/["'/]/g), secret: 'abc'`, `split(/["'/]/g), secret: '***'`],
    [`const half = a / 2; const secret = 'abc' / 2`, `const half = a / 2; const secret = '***' / 2`],
    [`name: 'Ada', secret: 'abc', mail: 'a@b.c'`, `name: 'Ada', secret: '***', mail: 'a@b.c'`],
  ])('%s', (source, masked) => {
    expect(maskLiterals(source)).toBe(masked)
    expect(masked).toHaveLength(source.length)
  })
})

describe('other code is shown as it is', () => {
  it.each([
    `name: 'Ada'`,
    `const secret = read()\nconsole.log('started')`,
    `const secret = read(); log('started')`,
    `import { jwtAuth } from 'agentserver'`,
    `secret: read(),\n  name: 'Ada',`,
    `tokenCount: '3', maxTokens: 5, model: 'gpt'`,
    `don't("panic")`,
    `'https://example.com'.replace(/'/g, '')`,
  ])('%s', (source) => {
    expect(maskLiterals(source)).toBe(source)
  })
})

it('a code frame has its caret at the same column, and no secret of any of its lines', () => {
  const source = `const a = 1\nconst db = { password: 'hunter2' } x\nconst token = 'hunter3'\n`
  expect(codeFrame(source, { line: 2, column: 36 })).toBe(
    [
      '  1 | const a = 1',
      "> 2 | const db = { password: '*******' } x",
      '    |                                    ^',
      "  3 | const token = '*******'",
      '  4 |',
    ].join('\n'),
  )
})

it('a file of a megabyte is masked quickly', () => {
  const source = `const secret = 'abc'\n/* \`'"`.repeat(50_000)
  const startedAt = performance.now()
  expect(maskLiterals(source)).toHaveLength(source.length)
  // backtracking would take hours
  expect(performance.now() - startedAt).toBeLessThan(20_000)
})
