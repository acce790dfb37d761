import { expect, test } from 'vitest'
import { TempProject } from '../../../support/project/temp-project.ts'
import { loadProject } from '../../../support/project/load-project.ts'
import { loadOnce } from '../../../../src/config/live/load-once.ts'
import { findProject } from '../../../../src/config/project.ts'

test('a local CommonJS file has named exports and a default', () =>
  loadProject(
    {
      config: `
        import whole, { one, two } from './legacy.cjs'
        import { typed } from './typed.cjs'
        export const value = [whole.one, one, two(), typed]
      `,
      files: {
        'legacy.cjs': `const part = require('./part')\nmodule.exports = { one: 1, two: () => part.two }`,
        'part.js': 'exports.two = 2; return',
        'typed.cts': 'const typed: number = 3; exports.typed = typed',
      },
    },
    (exports) => expect(exports['value']).toEqual([1, 1, 2, 3]),
  ))

test('require() loads TypeScript, ES modules, JSON, builtins and packages', () =>
  loadProject(
    {
      config: `
        const { a } = require('./a')
        import b = require('./b.cjs')
        export const value = [a, b.b, require('./data.json').x, require('fs') === require('node:fs'), require('pkg'), require.resolve('./a')]
      `,
      files: {
        'package.json': '{ "type": "commonjs" }',
        'a.ts': `import { sep } from 'node:path'\nimport esm from 'esm-pkg'\nimport { c } from './c'\nexport const a: string = 'a' + c + esm + sep.length`,
        'c.ts': `export * from './d'`,
        'd.ts': `export const c = 'c'`,
        'b.cjs': 'exports.b = 2',
        'data.json': '{ "x": 3 }',
        'node_modules/pkg/index.js': 'module.exports = "pkg"',
        'node_modules/esm-pkg/package.json': '{ "type": "module", "exports": "./index.js" }',
        'node_modules/esm-pkg/index.js': 'export default "esm"',
      },
    },
    (exports, project) =>
      expect(exports['value']).toEqual(['acesm1', 2, 3, true, 'pkg', project.path('a.ts')]),
  ))

test('CommonJS files in a cycle see incomplete exports', () =>
  loadProject(
    {
      config: `import { seen } from './a.cjs'\nexport { seen }`,
      files: {
        'a.cjs': `exports.early = 1; exports.seen = require('./b.cjs').seen`,
        'b.cjs': `const a = require('./a.cjs'); exports.seen = Object.keys(a)`,
      },
    },
    (exports) => expect(exports['seen']).toEqual(['early']),
  ))

test('`export =` beside imports is the default export', () =>
  loadProject(
    {
      config: `import made from './made'\nexport const value = made.sep`,
      files: { 'made.ts': `import { sep } from 'node:path'\nexport = { sep: sep.length }` },
    },
    (exports) => expect(exports['value']).toBe(1),
  ))

test('a CommonJS package has exports that Node does not detect', () =>
  loadProject(
    {
      config: `import whole, { hidden } from 'legacy'\nexport const value = [hidden, whole.hidden]`,
      files: {
        'node_modules/legacy/index.js': `const all = { hidden: 1 }; for (const key in all) exports[key] = all[key]`,
      },
    },
    (exports) => expect(exports['value']).toEqual([1, 1]),
  ))

test.each([
  ['module', { default: 'd' }],
  ['commonjs', 'd'],
])(
  'the default of a compiled ES module is, in a project of type %s, what TypeScript says',
  (type, expected) =>
    loadProject(
      {
        config: `import thing from 'compiled'\nexport const value = typeof thing === 'string' ? thing : { ...thing }`,
        files: {
          'package.json': `{ "type": "${type}" }`,
          'node_modules/compiled/index.js': `Object.defineProperty(exports, '__esModule', { value: true }); exports.default = 'd'`,
        },
      },
      (exports) => expect(exports['value']).toEqual(expected),
    ),
)

test('a package with sources is loaded from its built files, by export conditions', () =>
  loadProject(
    {
      config: `import { from } from 'both'\nimport { sub } from 'both/sub.js'\nexport const value = [from, sub]`,
      files: {
        'node_modules/both/package.json':
          '{ "exports": { ".": { "import": "./index.mjs", "require": "./index.cjs" }, "./sub.js": "./sub.js" } }',
        'node_modules/both/index.mjs': 'export const from = "import"',
        'node_modules/both/index.mts': 'throw new Error("source")',
        'node_modules/both/index.cjs': 'exports.from = "require"',
        'node_modules/both/sub.js': 'exports.sub = 1',
        'node_modules/both/sub.ts': 'throw new Error("source")',
      },
    },
    (exports) => expect(exports['value']).toEqual(['import', 1]),
  ))

test('a package is loaded once across reloads', async () => {
  const project = new TempProject({
    'agentserver.config.ts': `import { token } from 'once'\nexport { token }`,
    'node_modules/once/package.json': '{ "type": "module", "exports": "./index.js" }',
    'node_modules/once/index.js': 'export const token = {}',
  })
  const source = { project: findProject({ cwd: project.root }), mode: 'test', alias: {} }
  const load = () => loadOnce({ ...source, accept: (exports) => exports['token'] })
  const [first, second] = [await load(), await load()]
  expect(first.generation.value).toBe(second.generation.value)
  await Promise.all([first.close(), second.close()])
  project.remove()
})

test('a linked workspace package is part of the project', async () => {
  const project = new TempProject({
    'app/agentserver.config.ts': `import { shared } from '@team/shared'\nexport { shared }`,
    'packages/shared/package.json': '{ "name": "@team/shared", "exports": "./src/index.ts" }',
    'packages/shared/src/index.ts': `export * from './value'`,
    'packages/shared/src/value.ts': 'export const shared: number = 1',
  })
  project.symlink('packages/shared', 'app/node_modules/@team/shared')
  const found = findProject({ cwd: project.path('app') })
  const loaded = await loadOnce({
    project: found,
    mode: 'test',
    alias: {},
    accept: (exports) => exports['shared'],
  })
  expect(loaded.generation.value).toBe(1)
  expect(loaded.generation.files).toContain(project.path('packages/shared/src/value.ts'))
  await loaded.close()
  project.remove()
})

test('a package with only TypeScript is loaded', () =>
  loadProject(
    {
      config: `import { value } from 'ts-only'\nexport { value }`,
      files: {
        'node_modules/ts-only/package.json': '{ "exports": "./index.ts" }',
        'node_modules/ts-only/index.ts': 'export const value: number = 1',
      },
    },
    (exports) => expect(exports['value']).toBe(1),
  ))
