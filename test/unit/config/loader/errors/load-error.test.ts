import { describe, expect, test } from 'vitest'
import { formatLoadError } from '../../../../../src/config/loader/errors/format-load-error.ts'
import { LoadError } from '../../../../../src/config/loader/errors/load-error.ts'
import { AppError } from '../../../../../src/lib/errors.ts'
import { failureOf } from '../../../../support/project/load-project.ts'

describe('a load error has the position of:', () => {
  test('a syntax error after multi-byte lines', async () => {
    const failure = await failureOf({
      config: `import './src/broken'`,
      files: { 'src/broken.ts': `const name: string = '日本 é'\n\tconst x = ;\nconst last = 1` },
    })
    expect(failure.toJSON()).toEqual({
      name: 'SyntaxError',
      message: 'Unexpected token',
      file: 'src/broken.ts',
      line: 2,
      column: 12,
      frame: [
        "  1 | const name: string = '日本 é'",
        '> 2 | \tconst x = ;',
        '    | \t          ^',
        '  3 | const last = 1',
      ].join('\n'),
    })
  })

  test('a syntax error in JSON', async () => {
    const failure = await failureOf({
      config: `import './data.json'`,
      files: { 'data.json': '{\n  "a": oops\n}' },
    })
    expect(failure).toMatchObject({ name: 'SyntaxError', file: 'data.json', line: 2, column: 8 })
  })

  test('a missing file', async () => {
    const failure = await failureOf({ config: `\nimport { x } from './missing'\nexport { x }` })
    expect(failure).toMatchObject({
      name: 'ResolveError',
      file: 'agentserver.config.ts',
      line: 2,
      column: 19,
    })
    expect(failure.message).toBe("Cannot find module './missing' imported from agentserver.config.ts")
  })

  test('a missing package, with the install command', async () => {
    const failure = await failureOf({ config: `import { x } from '@scope/nothing/deep'\nexport { x }` })
    expect(failure.message).toContain("Cannot find package '@scope/nothing/deep'")
    expect(failure.hint).toBe('Install it: npm install @scope/nothing')
  })

  test.each([
    ['./wrkflows.ts', 'Did you mean "./workflows.ts"?'],
    ['./libs/deep.ts', 'Did you mean "./lib/deep.ts"?'],
    ['zdo', 'Did you mean "zod"?'],
    ['agentsever/testing', 'Did you mean "agentserver/testing"?'],
    ['crypt', 'Did you mean "crypto"?'],
    ['./nothing-like-it', undefined],
    ['react', 'Install it: npm install react'],
  ])('a name similar to that of a file or package: %s', async (specifier, hint) => {
    const failure = await failureOf({
      config: `import { x } from '${specifier}'\nexport { x }`,
      files: {
        'workflows.ts': '',
        'lib/deep.ts': '',
        'package.json': '{"dependencies":{"zod":"^4.0.0","react-dom":"^19.0.0"}}',
      },
    })
    expect(failure.hint).toBe(hint)
  })

  test('an export with a similar name', async () => {
    const own = {
      config: `import { ordr } from './lib'\nexport const value = ordr`,
      files: { 'lib.ts': 'export const order = 1' },
    }
    expect((await failureOf(own)).hint).toBe('Did you mean "order"?')
  })

  test('a missing export in an import list', async () => {
    const failure = await failureOf({
      config: `import {\n  here,\n  gone,\n} from './lib'\nexport const value = [here, gone]`,
      files: { 'lib.ts': 'export const here = 1' },
    })
    expect(failure).toMatchObject({ name: 'SyntaxError', file: 'agentserver.config.ts', line: 3, column: 3 })
    expect(failure.message).toBe("'./lib' does not provide an export named 'gone'")
  })

  test('a missing export of a package', async () => {
    const failure = await failureOf({ config: `import { nothing } from 'node:path'\nexport { nothing }` })
    expect(failure).toMatchObject({ line: 1, column: 10 })
  })

  test('a thrown error, at the source line', async () => {
    const failure = await failureOf({
      config: `import { fail } from './lib'\ninterface Long {\n  a: string\n}\nfail()`,
      files: {
        'lib.ts': `type A = { a: 1 }\n\nexport function fail(): never {\n  throw new RangeError('too much')\n}`,
      },
    })
    expect(failure).toMatchObject({
      name: 'RangeError',
      message: 'too much',
      file: 'lib.ts',
      line: 4,
      column: 9,
    })
    expect(failure.cause).toBeInstanceOf(RangeError)
  })

  test('a call of a non-function, with its name in the source', async () => {
    const failure = await failureOf({
      config: `import { text } from './lib'\n\ntext()`,
      files: { 'lib.ts': `export const text = 'text' as unknown as () => void` },
    })
    expect(failure).toMatchObject({ name: 'TypeError', message: 'text is not a function', line: 3 })
  })

  test('the import of a package that throws', async () => {
    const failure = await failureOf({
      config: `\n\nimport 'explosive'`,
      files: { 'node_modules/explosive/index.js': 'throw new Error("no licence")' },
    })
    expect(failure).toMatchObject({ message: 'no licence', file: 'agentserver.config.ts', line: 3 })
  })

  test('an invalid tsconfig.json', async () => {
    const failure = await failureOf({
      config: `import './lib'`,
      files: { 'lib.ts': '', 'tsconfig.json': '{ "compilerOptions": ' },
    })
    expect(failure.name).toBe('ResolveError')
    expect(failure.message).toMatch(/Cannot resolve '\.\/lib'.*tsconfig/)
  })

  test('a thrown value that is no Error', async () => {
    const failure = await failureOf({ config: `throw 'just text'` })
    expect(failure.toJSON()).toEqual({
      name: 'Error',
      message: 'just text',
      file: null,
      line: null,
      column: null,
      frame: null,
    })
  })

  test('require() of a module with top-level await', async () => {
    const failure = await failureOf({
      config: `const x = require('./slow')\nexport { x }`,
      files: { 'slow.ts': 'export const x = await fetch("x")' },
    })
    expect(failure).toMatchObject({ name: 'SyntaxError', file: 'slow.ts', line: 1 })
  })
})

test('a load error has the code invalid_config', async () => {
  const failure = await failureOf({ config: 'export const = 1' })
  expect(failure).toBeInstanceOf(AppError)
  expect(failure.code).toBe('invalid_config')
})

describe('a formatted load error', () => {
  const failure = new LoadError({
    name: 'SyntaxError',
    message: 'Unexpected \u001b[31mtoken',
    file: 'src/a.ts',
    position: { line: 2, column: 3 },
    frame: '  1 | a\n> 2 | b = ;\n    |   ^',
  })

  test('is plain text with control characters escaped', () => {
    expect(formatLoadError(failure, { colors: false })).toBe(
      'SyntaxError: Unexpected \\x1b[31mtoken\nat src/a.ts:2:3\n\n  1 | a\n> 2 | b = ;\n    |   ^',
    )
  })

  test('has the same text with colours', () => {
    const colored = formatLoadError(failure, { colors: true })
    expect(colored).toContain('\u001b[')
    // oxlint-disable-next-line no-control-regex -- removes the colours
    const plain = colored.replace(/\u001b\[\d+m/g, '')
    expect(plain).toBe(formatLoadError(failure, { colors: false }))
  })

  test('is one line without a position', () => {
    const bare = new LoadError({ name: 'ConfigError', message: 'Two agents are called "a"' })
    expect(formatLoadError(bare, { colors: false })).toBe('ConfigError: Two agents are called "a"')
  })
})
