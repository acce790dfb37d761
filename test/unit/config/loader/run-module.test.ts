import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { loadProject } from '../../../support/project/load-project.ts'

test('TypeScript syntax beyond types is compiled', () =>
  loadProject(
    {
      config: `
        import { type Shape, Color } from './color'
        enum Size { Small = 2, Large }
        namespace Geometry { export const area = (side: number) => side * side }
        class Box { constructor(public side: number, private readonly color: Color) {} get name() { return Color[this.color] } }
        export const shape: Shape = { size: Size.Large, area: Geometry.area(3), name: new Box(1, Color.Red).name }
        const checked = { a: 1 } satisfies Record<string, number>
        export const a = checked.a as number
      `,
      files: {
        'color.ts': 'export interface Shape { [key: string]: unknown }\nexport enum Color { Red, Blue }',
      },
    },
    (exports) => {
      expect(exports).toMatchObject({ shape: { size: 3, area: 9, name: 'Red' }, a: 1 })
    },
  ))

test('decorators run with type metadata', () =>
  loadProject(
    {
      config: `
        const seen: string[] = []
        function note(target: object, key: string, descriptor?: PropertyDescriptor) { seen.push(key) }
        class Job { @note name = 'x'; @note run(input: string): number { return input.length } }
        export const result = [...seen, new Job().run('abc')]
      `,
    },
    (exports) => expect(exports['result']).toEqual(['name', 'run', 3]),
  ))

test.each(['ts', 'mts', 'cts', 'js', 'mjs', 'cjs', 'tsx', 'jsx'])('a .%s file can be imported', (extension) =>
  loadProject(
    {
      config: `import { value } from './lib.${extension}'\nexport { value }`,
      files: { [`lib.${extension}`]: extension === 'cjs' ? 'exports.value = 1' : 'export const value = 1' },
    },
    (exports) => expect(exports['value']).toBe(1),
  ),
)

test('JSON can be imported with and without an attribute', () =>
  loadProject(
    {
      config: `
        import data from './data.json' with { type: 'json' }
        import { name } from './data.json'
        export const value = [data.list.length, name]
      `,
      files: { 'data.json': '\uFEFF{ "name": "n", "list": [1, 2] }' },
    },
    (exports) => expect(exports['value']).toEqual([2, 'n']),
  ))

test('imports may omit the extension, or use a compiled file or a directory', () =>
  loadProject(
    {
      config: `
        import { a } from './src/a'
        import { b } from './src/b.js'
        import { c } from './src/c'
        export const value = a + b + c
      `,
      files: {
        'src/a.ts': 'export const a = 1',
        'src/b.ts': 'export const b = 10',
        'src/c/index.mts': 'export const c = 100',
      },
    },
    (exports) => expect(exports['value']).toBe(111),
  ))

test('paths of tsconfig.json apply, also with extends and comments', () =>
  loadProject(
    {
      config: `import { deep } from '@/deep/thing'\nimport one from '~one'\nexport const value = [deep, one]`,
      files: {
        'tsconfig.json': '{ // comment\n "extends": "./config/base", "compilerOptions": {}, }',
        'config/base.json':
          '{ "compilerOptions": { "paths": { "@/*": ["../src/*"], "~one": ["../src/one.ts"] } } }',
        'src/deep/thing.ts': 'export const deep = true',
        'src/one.ts': 'export default 1',
      },
    },
    (exports) => expect(exports['value']).toEqual([true, 1]),
  ))

test('imports of package.json apply', () =>
  loadProject(
    {
      config: `import { db } from '#db'\nexport { db }`,
      files: {
        'package.json': '{ "imports": { "#db": "./src/db.ts" } }',
        'src/db.ts': 'export const db = 1',
      },
    },
    (exports) => expect(exports['db']).toBe(1),
  ))

test.each(['module', 'commonjs'])('top-level await works in a project of type %s', (type) =>
  loadProject(
    {
      config: `import { a } from './slow'\nexport const value = await Promise.resolve(a + 1)`,
      files: {
        'package.json': `{ "type": "${type}" }`,
        'slow.ts': 'export const a = await new Promise<number>((resolve) => setTimeout(resolve, 5, 1))',
      },
    },
    (exports) => expect(exports['value']).toBe(2),
  ),
)

test('imports run in order and once, dependencies first', () =>
  loadProject(
    {
      config: `
        import { log } from './log'
        import './b'
        import './a'
        import './b.js'
        log.push('config')
        export { log }
      `,
      files: {
        'log.ts': 'export const log: string[] = []',
        'a.ts': `import { log } from './log'\nlog.push('a')`,
        'b.ts': `import { log } from './log'\nimport './c'\nawait 0\nlog.push('b')`,
        'c.ts': `import { log } from './log'\nlog.push('c')`,
      },
    },
    (exports) => expect(exports['log']).toEqual(['c', 'b', 'a', 'config']),
  ))

test('modules in a cycle see functions immediately and values later', () =>
  loadProject(
    {
      config: `import { even } from './even'\nexport const value = [even(10), even(7)]`,
      files: {
        'even.ts': `import { odd, name } from './odd'\nexport function even(n: number): boolean { return n === 0 || odd(n - 1) }\nexport const label = name`,
        'odd.ts': `import { even } from './even'\nexport const name = 'odd'\nexport function odd(n: number): boolean { return n !== 0 && even(n - 1) }`,
      },
    },
    (exports) => expect(exports['value']).toEqual([true, false]),
  ))

test('a cycle through import() and top-level await ends', () =>
  loadProject(
    {
      config: `import { value } from './a'\nexport { value }`,
      files: {
        'a.ts': `export const early = 1\nexport const value = (await import('./b')).b`,
        'b.ts': `import { early } from './a'\nexport const b = early + 1`,
      },
    },
    (exports) => expect(exports['value']).toBe(2),
  ))

test('exports are live bindings', () =>
  loadProject(
    {
      config: `
        import { count, increase } from './counter'
        import * as counter from './counter'
        increase()
        export const value = [count, counter.count]
        export { count as live, increase } from './counter'
      `,
      files: { 'counter.ts': 'export let count = 0\nexport const increase = () => { count++ }' },
    },
    (exports) => {
      expect(exports['value']).toEqual([1, 1])
      exports['increase']()
      expect(exports['live']).toBe(2)
    },
  ))

test('export * omits the default export, and own names take precedence', () =>
  loadProject(
    {
      config: `
        export * from './all'
        export * as all from './all'
        export { default as theDefault, type Kind } from './all'
        export const own = 'mine'
      `,
      files: { 'all.ts': `export type Kind = 1\nexport const own = 'theirs', other = 2\nexport default 'd'` },
    },
    (exports) => {
      expect(exports).toMatchObject({ own: 'mine', other: 2, theDefault: 'd', all: { own: 'theirs' } })
      expect(exports['default']).toBeUndefined()
    },
  ))

test('a type may be re-exported without `type`', () =>
  loadProject(
    {
      config: `export { Kind, kind } from './kind'`,
      files: { 'kind.ts': 'export interface Kind { a: 1 }\nexport const kind = 1' },
    },
    (exports) => expect(exports['kind']).toBe(1),
  ))

test('import.meta has the URL and path of the module', () =>
  loadProject(
    {
      config: `export { meta } from './src/here'`,
      files: {
        'src/here.ts': `
          const { url, filename, dirname, main } = import.meta
          export const meta = { url, filename, dirname, main, other: import.meta.resolve('../other'), fs: import.meta.resolve('node:fs') }
        `,
        'other.ts': '',
      },
    },
    (exports, project) =>
      expect(exports['meta']).toEqual({
        url: pathToFileURL(project.path('src/here.ts')).href,
        filename: project.path('src/here.ts'),
        dirname: project.path('src'),
        main: false,
        other: pathToFileURL(project.path('other.ts')).href,
        fs: 'node:fs',
      }),
  ))

test('import() accepts computed names and file URLs', () =>
  loadProject(
    {
      config: `
        const names = ['one', 'two']
        export const value = await Promise.all(names.map(async (name) => (await import(\`./parts/\${name}.ts\`)).part))
        export const byUrl = (await import(new URL('./parts/one.ts', import.meta.url).href)).part
        export const later = () => import('./parts/two')
      `,
      files: { 'parts/one.ts': 'export const part = 1', 'parts/two.ts': 'export const part = 2' },
    },
    async (exports) => {
      expect(exports).toMatchObject({ value: [1, 2], byUrl: 1 })
      expect((await exports['later']()).part).toBe(2)
    },
  ))

test('an anonymous default export is named `default`', () =>
  loadProject(
    {
      config: `export { default as Class } from './class'\nexport { default as fn } from './fn'`,
      files: { 'class.ts': 'export default class {}', 'fn.ts': 'export default () => 1' },
    },
    (exports) => {
      expect([exports['Class'].name, exports['fn'].name]).toEqual(['default', 'default'])
    },
  ))

test('a module may declare CommonJS names and use `using`', () =>
  loadProject(
    {
      config: `
        import { createRequire } from 'node:module'
        const require = createRequire(import.meta.url)
        const __dirname = 'mine', module = 1, exports = 2
        let closed = 0
        { using thing = { [Symbol.dispose]: () => { closed++ } } }
        export const value = [require('node:path').sep, __dirname, module + exports, closed]
      `,
    },
    (loaded) => expect(loaded['value']).toEqual([path.sep, 'mine', 3, 1]),
  ))

test('comparisons that look like type arguments work in JavaScript', () =>
  loadProject(
    {
      config: `export { value } from './lib.js'`,
      files: {
        'lib.js': `const f = (...all) => all\nconst a = 1, b = 2, c = 3, d = 0\nexport const value = f(a < b, c > (d))`,
      },
    },
    (exports) => expect(exports['value']).toEqual([true, true]),
  ))

test('a hashbang and a byte order mark are ignored', () =>
  loadProject({ config: '\uFEFF#!/usr/bin/env agentserver\nexport const value: number = 1' }, (exports) =>
    expect(exports['value']).toBe(1),
  ))

test('`agentserver` resolves to the running instance', async () => {
  const alias = { agentserver: 'node:path', 'agentserver/*': 'node:*' }
  await loadProject(
    {
      config: `import * as own from 'agentserver'\nimport { readFileSync } from 'agentserver/fs'\nexport { own, readFileSync }`,
      files: { 'node_modules/agentserver/index.js': 'throw new Error("another instance")' },
      alias,
    },
    (exports) => {
      expect(exports['own'].sep).toBe(path.sep)
      expect(exports['readFileSync']).toBeTypeOf('function')
    },
  )
})
