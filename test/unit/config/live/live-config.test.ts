import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createDeferred } from '../../../../src/lib/async/wake-up.ts'
import { AppError } from '../../../../src/lib/errors.ts'
import { LiveProject } from '../../../support/project/live-project.ts'
import { loadOnce } from '../../../../src/config/live/load-once.ts'
import { findProject } from '../../../../src/config/project.ts'

let project: LiveProject
beforeEach(() => {
  project = new LiveProject({
    'agentserver.config.ts': `import { a } from './src/a'\nexport const value = a`,
    'src/a.ts': 'export const a: number = 1',
  })
})
afterEach(() => project.stop())

const save = (value: unknown) => project.write({ 'src/a.ts': `export const a = ${JSON.stringify(value)}` })
const valueOf = (exports: Record<string, unknown>) => exports['value']
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('the first load and each change are reported with their files', async () => {
  expect(await project.start()).toMatchObject({ generation: 1, files: [], modules: 2, env: [], value: 1 })
  save(2)
  const outcome = await project.next()
  expect(outcome).toMatchObject({ generation: 2, files: ['src/a.ts'], modules: 2, env: [], value: 2 })
  expect(outcome.at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  expect(outcome.durationMs).toBeGreaterThan(0)
  expect(project.live.current?.value).toBe(2)
})

test('a config that fails at first is loaded when it is fixed', async () => {
  project.write({ 'src/a.ts': 'export const a = ' })
  expect(await project.start()).toMatchObject({
    generation: 0,
    error: { name: 'SyntaxError', file: 'src/a.ts' },
  })
  expect(project.live.current).toBeUndefined()
  save(5)
  expect(await project.next()).toMatchObject({ generation: 1, value: 5 })
})

test('a failed load keeps the last valid code in service', async () => {
  await project.start()
  project.write({ 'src/a.ts': 'export const a = 1 +' })
  expect(await project.next()).toMatchObject({ generation: 1, error: { name: 'SyntaxError', line: 1 } })
  expect(project.live.current?.value).toBe(1)
  save(1)
  expect(await project.next()).toMatchObject({ generation: 2, value: 1 })
})

test('an invalid config is an error of the config file', async () => {
  const accept = (value: unknown) => {
    if (value === 13) throw new AppError('invalid_config', '13 is not allowed', { hint: 'Take 12.' })
    return value
  }
  await project.start({ accept })
  save(13)
  expect(await project.next()).toMatchObject({
    generation: 1,
    error: {
      name: 'ConfigError',
      message: '13 is not allowed',
      hint: 'Take 12.',
      file: 'agentserver.config.ts',
    },
  })
})

describe('a save is detected:', () => {
  beforeEach(() => project.start())

  test('truncate, then write', async () => {
    for (let isTested = false, value = 2; !isTested; value++) {
      const { generation } = project.outcomes.at(-1) ?? { generation: 0 }
      const began = performance.now()
      project.write({ 'src/a.ts': '' })
      await sleep(15)
      save(value)
      // a machine that stalled for longer than an editor takes has to do it again
      isTested = performance.now() - began < 60
      let outcome = await project.next()
      if (isTested) expect(outcome).toMatchObject({ generation: generation + 1, value })
      while (!('value' in outcome) || outcome.value !== value) outcome = await project.next()
    }
    expect(await project.quiet()).toEqual([])
  })

  test('rename over the file, repeatedly', async () => {
    for (let value = 2; value < 6; value++) {
      project.write({ 'src/a.ts.tmp123': `export const a = ${value}` })
      project.rename('src/a.ts.tmp123', 'src/a.ts')
      expect(await project.next()).toMatchObject({ value })
    }
  })

  test('move away and write again, as vim does', async () => {
    for (let value = 2; value < 6; value++) {
      project.rename('src/a.ts', 'src/a.ts~')
      save(value)
      project.delete('src/a.ts~')
      expect(await project.next()).toMatchObject({ value })
    }
  })

  test('twice within a few milliseconds', async () => {
    for (const gap of [1, 8, 20, 35, 50]) {
      save(`first ${gap}`)
      await sleep(gap)
      save(`second ${gap}`)
      let outcome = await project.next()
      if ('value' in outcome && outcome.value === `first ${gap}`) outcome = await project.next()
      expect(outcome).toMatchObject({ value: `second ${gap}` })
    }
  })
})

test('a change of many files is one reload', async () => {
  const modules = Array.from({ length: 60 }, (_, index) => `m${index}`)
  const all = (value: number) =>
    Object.fromEntries(modules.map((name) => [`src/${name}.ts`, `export const ${name} = ${value}`]))
  const imports = modules.map((name) => `import { ${name} } from './${name}'`).join('\n')
  project.write({ ...all(1), 'src/a.ts': `${imports}\nexport const a = ${modules.join(' + ')}` })
  await project.start()
  project.write(all(2))
  const outcome = await project.next()
  expect(outcome).toMatchObject({ generation: 2, value: 120 })
  expect('files' in outcome && outcome.files).toHaveLength(60)
  expect(await project.quiet()).toEqual([])
})

test('nothing is loaded while git writes to the working tree', async () => {
  project.write({ '.git/HEAD': '', '.git/index.lock': '' })
  await project.start()
  save(2)
  await sleep(60)
  project.write({ 'src/a.ts': 'import { b } from "./b"\nexport const a = b' })
  expect(await project.quiet(60)).toEqual([])
  project.write({ 'src/b.ts': 'export const b = 3' })
  project.delete('.git/index.lock')
  expect(await project.next()).toMatchObject({ generation: 2, value: 3 })
})

test('unused files and saves without a change cause no reload', async () => {
  project.write({ 'src/other.ts': '1', 'notes.json': '{}' })
  await project.start()
  project.write({
    'src/other.ts': '2',
    'src/new.ts': '',
    'notes.json': '[]',
    'src/a.ts': project.read('src/a.ts'),
  })
  expect(await project.quiet(150)).toEqual([])
})

test('a missing file is loaded when it is created with its directory', async () => {
  project.write({ 'src/a.ts': `export { a } from './deep/down/b'` })
  expect(await project.start()).toMatchObject({ error: { name: 'ResolveError' } })
  project.write({ 'src/deep/down/b.ts': 'export const a = "healed"' })
  expect(await project.next()).toMatchObject({ value: 'healed' })
  project.write({ 'src/deep/down/b.ts': 'export const a = "watched"' })
  expect(await project.next()).toMatchObject({ value: 'watched' })
})

test('a missing package is loaded when it is installed', async () => {
  project.write({ 'src/a.ts': `export { a } from 'installed-later'` })
  await project.start()
  project.write({
    'node_modules/installed-later/package.json': '{ "type": "module", "exports": "./index.js" }',
    'node_modules/installed-later/index.js': 'export const a = "installed"',
  })
  expect(await project.next()).toMatchObject({ value: 'installed' })
})

test('an optional import is loaded when its file is created', async () => {
  project.write({
    'src/a.ts': `export const a = await import('./optional').then((module) => module.value, () => 'without')`,
  })
  expect(await project.start()).toMatchObject({ value: 'without' })
  project.write({ 'src/optional.ts': `export const value = 'with'` })
  expect(await project.next()).toMatchObject({ value: 'with' })
})

test('a directory that is removed and created again is watched', async () => {
  await project.start()
  project.rename('src', 'away')
  expect(await project.next()).toMatchObject({ error: { name: 'ResolveError' } })
  project.rename('away', 'src')
  expect(await project.next()).toMatchObject({ value: 1 })
  save(2)
  expect(await project.next()).toMatchObject({ value: 2 })
})

test('saves are loaded after a directory was replaced in an instant, as git does', async () => {
  await project.start()
  const loads = async (value: string) => {
    await expect.poll(() => project.live.current?.value).toBe(value)
  }
  for (let round = 0; round < 10; round++) {
    project.delete('src')
    save(`replaced ${round}`)
    await loads(`replaced ${round}`)
    save(`saved ${round}`)
    await loads(`saved ${round}`)
  }
})

test('a top-level await that never ends is aborted by the next save', async () => {
  await project.start()
  project.write({ 'src/a.ts': 'await new Promise(() => {})\nexport const a = 2' })
  await sleep(100)
  save(3)
  expect(await project.next()).toMatchObject({ generation: 2, value: 3 })
})

test('changes during a reload are loaded next', async () => {
  const [begun, ended] = [createDeferred<void>(), createDeferred<void>()]
  vi.stubGlobal('duringLoad', () => {
    begun.resolve()
    return ended.promise
  })
  const slow = (value: number) => ({ 'src/a.ts': `await duringLoad()\nexport const a = ${value}` })
  await project.start()
  project.write(slow(2))
  await begun.promise
  project.write(slow(3))
  ended.resolve()
  expect(await project.next()).toMatchObject({ generation: 2, value: 2 })
  expect(await project.next()).toMatchObject({ generation: 3, value: 3 })
})

test('.env changes reload all files and are reported by name', async () => {
  project.write({
    '.env': 'TEST_LIVE_A=1\nTEST_LIVE_B=1',
    'src/a.ts': 'export const a = [process.env.TEST_LIVE_A, process.env.TEST_LIVE_B]',
  })
  expect(await project.start()).toMatchObject({ value: ['1', '1'] })
  project.write({ '.env': 'TEST_LIVE_A=2' })
  expect(await project.next()).toMatchObject({
    value: ['2', undefined],
    env: [
      { key: 'TEST_LIVE_B', kind: '-' },
      { key: 'TEST_LIVE_A', kind: '~' },
    ],
  })
  project.write({ '.env.development.local': 'TEST_LIVE_A=3' })
  expect(await project.next()).toMatchObject({ value: ['3', undefined] })
  await project.live.close()
  expect(process.env['TEST_LIVE_A']).toBeUndefined()
})

test('a change of tsconfig.json resolves all imports again', async () => {
  project.write({
    'tsconfig.json': '{ "extends": "./base.json" }',
    'base.json': '{ "compilerOptions": { "paths": { "~/*": ["./src/*"] } } }',
    'src/a.ts': `export { b as a } from '~/b'`,
    'src/b.ts': 'export const b = "src"',
    'other/b.ts': 'export const b = "other"',
  })
  expect(await project.start()).toMatchObject({ value: 'src' })
  project.write({ 'base.json': '{ "compilerOptions": { "paths": { "~/*": ["./other/*"] } } }' })
  expect(await project.next()).toMatchObject({ value: 'other', files: ['base.json'] })
})

test('polling detects changes', async () => {
  await project.start({ poll: 20 })
  save(2)
  expect(await project.next()).toMatchObject({ value: 2 })
  project.delete('src/a.ts')
  expect(await project.next()).toMatchObject({ error: { name: 'ResolveError' } })
  save(3)
  expect(await project.next()).toMatchObject({ value: 3 })
})

test('reloadAll loads all files again', async () => {
  await project.start()
  await project.live.reloadAll()
  expect(await project.next()).toMatchObject({ generation: 2, files: [], value: 1 })
})

test('closing stops loading and watching', async () => {
  await project.start()
  await project.live.close()
  save(2)
  expect(await project.quiet(80)).toEqual([])
})

test('loadOnce reads the .env files of its mode', async () => {
  project.write({
    '.env.production': 'TEST_ONCE=production',
    '.env.development': 'TEST_ONCE=development',
    'src/a.ts': 'export const a = process.env.TEST_ONCE',
  })
  const source = {
    project: findProject({ cwd: project.root }),
    mode: 'production',
    alias: {},
    accept: valueOf,
  }
  const loaded = await loadOnce(source)
  expect(loaded.generation.value).toBe('production')
  expect(loaded.event).toMatchObject({ generation: 1, modules: 2, env: [{ key: 'TEST_ONCE', kind: '+' }] })
  await loaded.close()
  expect(process.env['TEST_ONCE']).toBeUndefined()
})
