import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ModuleLoader } from '../../../../src/config/loader/module-loader.ts'
import { SupersededError } from '../../../../src/config/loader/errors/superseded-error.ts'
import { disposePersistedValues } from '../../../../src/config/persist.ts'
import { TempProject } from '../../../support/project/temp-project.ts'
import { until } from '../../../support/until.ts'

const log: string[] = []
let project: TempProject
let loader: ModuleLoader<Record<string, any>>
let warnings: string[]

beforeEach(() => {
  log.length = 0
  warnings = []
  Object.assign(globalThis, { testLog: log })
})
afterEach(async () => {
  await loader.close()
  project.remove()
  await disposePersistedValues()
  Reflect.deleteProperty(globalThis, 'testLog')
})

function open(
  files: Record<string, string>,
  options: { graceMs?: number; accept?: (value: any) => unknown } = {},
) {
  project = new TempProject(files)
  loader = new ModuleLoader<Record<string, any>>({
    entry: project.path('main.ts'),
    root: project.root,
    alias: {},
    accept: (exports) => {
      options.accept?.(exports)
      return exports
    },
    onWarning: (message) => warnings.push(message),
    ...(options.graceMs === undefined ? {} : { graceMs: options.graceMs }),
  })
  return loader.load()
}

/** Saves files and loads the changes. */
function save(files: Record<string, string>) {
  project.write(files)
  return loader.load({ changed: loader.changedAmong(loader.files) })
}

const logging = (name: string, rest = '') =>
  `testLog.push('${name}')\ndeclare const testLog: string[]\n${rest}`
const disposing = (name: string) =>
  logging(name, `import.meta.hot.dispose(() => { testLog.push('-${name}') })`)

const boom = (padding: string) =>
  `interface Gone {\n  a: 1\n}\n${padding}export function boom(): Error {\n  return new Error('boom')\n}`
const persisting = (url: string, rest = '') => `
  import { persist } from ${JSON.stringify(new URL('../../../../src/config/persist.ts', import.meta.url).href)}
  export const db = persist('db', () => '${url}', { deps: ['${url}'], dispose: (value) => { testLog.push('closed ' + value) } })
  declare const testLog: string[]
  ${rest}`

test('a change runs the changed file and its importers only', async () => {
  await open({
    'main.ts': logging('main', `import './a'\nimport './b'`),
    'a.ts': logging('a', `import './shared'`),
    'b.ts': logging('b', `import './shared'`),
    'shared.ts': logging('shared'),
  })
  expect(log.splice(0)).toEqual(['shared', 'a', 'b', 'main'])
  await save({ 'b.ts': logging('b2', `import './shared'`) })
  expect(log.splice(0)).toEqual(['b2', 'main'])
  await save({ 'shared.ts': logging('shared2') })
  expect(log.splice(0)).toEqual(['shared2', 'a', 'b2', 'main'])
  expect(loader.current?.number).toBe(3)
})

test('a failed load keeps the last valid generation and fails again until it is fixed', async () => {
  const good = await open({
    'main.ts': `export { a } from './a'\nexport { b } from './b'`,
    'a.ts': 'export const a = 1',
    'b.ts': 'export const b = 1',
  })
  await expect(save({ 'a.ts': 'export const a = ;' })).rejects.toThrow('Unexpected token')
  expect(loader.current).toBe(good)
  await expect(save({ 'b.ts': 'export const b = 2' })).rejects.toThrow('Unexpected token')
  expect(loader.current?.value).toMatchObject({ a: 1, b: 1 })
  const mended = await save({ 'a.ts': 'export const a = 1' })
  expect(mended.value).toMatchObject({ a: 1, b: 2 })
  expect(mended.number).toBe(2)
})

test('a load fails if accept throws', async () => {
  const accept = vi.fn<(exports: { ok: boolean }) => void>((exports) => {
    if (!exports.ok) throw new Error('not acceptable')
  })
  await open({ 'main.ts': 'export const ok = true' }, { accept })
  await expect(save({ 'main.ts': 'export const ok = false' })).rejects.toThrow('not acceptable')
  expect(loader.current?.value['ok']).toBe(true)
})

test('removing an import removes the file from the generation', async () => {
  await open({ 'main.ts': `import './a'`, 'a.ts': '' })
  await save({ 'main.ts': '' })
  expect(loader.files).toEqual([project.path('main.ts')])
})

test('running code keeps its generation, also for lazy imports', async () => {
  const first = await open({
    'main.ts': `export const version = 1\nexport const later = async () => (await import('./lazy')).lazy`,
    'lazy.ts': 'export const lazy = "one"',
  })
  const release = first.hold()
  const { later } = first.value
  expect(await later()).toBe('one')
  await save({
    'main.ts': project.read('main.ts').replace('version = 1', 'version = 2'),
    'lazy.ts': 'export const lazy = "two"',
  })
  expect(await later()).toBe('one')
  expect(await loader.current?.value['later']()).toBe('two')
  release()
})

test('a module that is imported later is reloaded', async () => {
  const { value } = await open({
    'main.ts': `export const later = () => import('./lazy')`,
    'lazy.ts': 'export const lazy = 1',
  })
  await value['later']()
  expect(loader.files).toContain(project.path('lazy.ts'))
  const second = await save({ 'lazy.ts': 'export const lazy = 2' })
  expect(await second.value['later']()).toMatchObject({ lazy: 2 })
})

describe('import.meta.hot.dispose', () => {
  test('runs when the last user of the old code has ended', async () => {
    const first = await open({ 'main.ts': disposing('one') })
    const releases = [first.hold(), first.hold()]
    await save({ 'main.ts': disposing('two') })
    releases[0]?.()
    releases[0]?.()
    await Promise.resolve()
    expect(log).toEqual(['one', 'two'])
    releases[1]?.()
    await expect.poll(() => log).toEqual(['one', 'two', '-one'])
  })

  test('runs immediately for an unused generation, and not for modules that stay', async () => {
    await open({ 'main.ts': `import './db'\n${disposing('main')}`, 'db.ts': disposing('db') })
    await save({ 'main.ts': `import './db'\n${disposing('main2')}` })
    await expect.poll(() => log).toEqual(['db', 'main', 'main2', '-main'])
    await loader.close()
    expect(log.slice(4)).toEqual(['-main2', '-db'])
  })

  test('runs for modules of a failed load, and for late registrations', async () => {
    await open({ 'main.ts': '' })
    await expect(save({ 'main.ts': `${disposing('bad')}\nthrow new Error('no')` })).rejects.toThrow('no')
    await expect.poll(() => log).toEqual(['bad', '-bad'])
  })

  test('runs with a warning if a user never ends', async () => {
    const first = await open({ 'main.ts': disposing('one') }, { graceMs: 10 })
    first.hold()
    await save({ 'main.ts': disposing('two') })
    await expect.poll(() => log).toEqual(['one', 'two', '-one'])
    expect(warnings).toEqual([expect.stringContaining('Generation 1')])
  })

  test('an error in a callback is reported and does not stop others', async () => {
    await open({
      'main.ts': `${disposing('one')}\nimport.meta.hot.dispose(() => { throw new Error('stuck') })`,
    })
    await save({ 'main.ts': '' })
    await expect.poll(() => log).toEqual(['one', '-one'])
    expect(warnings).toEqual(['A dispose callback failed'])
  })

  test('data is shared between versions', async () => {
    const count = `const data = import.meta.hot.data\nexport const count = data.count = (data.count ?? 0) + 1\n`
    await open({ 'main.ts': count })
    expect((await save({ 'main.ts': `${count}//` })).value['count']).toBe(2)
  })
})

test('a hanging top-level await is aborted by a newer change', async () => {
  await open({ 'main.ts': `import './a'\nexport const value = 1`, 'a.ts': '' })
  project.write({ 'a.ts': `${disposing('hung')}\nawait new Promise(() => {})` })
  const giveUp = new AbortController()
  const hanging = loader.load({ changed: loader.changedAmong(loader.files), signal: giveUp.signal })
  await expect.poll(() => log).toContain('hung')
  giveUp.abort()
  await expect(hanging).rejects.toThrow(SupersededError)
  expect(log).toEqual(['hung', '-hung'])
  expect((await save({ 'a.ts': 'export {}' })).number).toBe(2)
})

test('a load that waits for a top-level await for 5 s names its file', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const giveUp = new AbortController()
  await open({ 'main.ts': '', 'a.ts': `${disposing('hung')}\nawait new Promise(() => {})` })
  project.write({ 'main.ts': `import './a'` })
  const hanging = loader.load({ changed: loader.changedAmong(loader.files), signal: giveUp.signal })
  await until(() => log.includes('hung'))
  vi.advanceTimersByTime(4999)
  expect(warnings).toEqual([])
  vi.advanceTimersByTime(1)
  expect(warnings).toEqual(['The load has not ended after 5 s: it waits for a top-level await in a.ts'])
  giveUp.abort()
  await expect(hanging).rejects.toThrow(SupersededError)
})

test('stack traces have source lines, also for code of old generations', async () => {
  const first = await open({ 'main.ts': `export * from './lib'`, 'lib.ts': boom('') })
  const release = first.hold()
  const old = first.value['boom']
  const second = await save({ 'lib.ts': boom('\n\n\n') })
  const lib = project.path('lib.ts')
  expect(old().stack).toContain(`${lib}:5:10`)
  expect(second.value['boom']().stack).toContain(`${lib}:8:10`)
  release()
})

test('stack traces of other code are unchanged', async () => {
  await open({ 'main.ts': '' })
  expect(new Error('mine').stack).toMatch(/^Error: mine\n\s+at .*generation\.test\.ts:\d+:\d+/)
})

test('a replaced persisted value is disposed with the code that uses it', async () => {
  const first = await open({ 'main.ts': persisting('one') })
  const release = first.hold()
  await expect(save({ 'main.ts': persisting('bad', 'throw new Error("no")') })).rejects.toThrow('no')
  await save({ 'main.ts': persisting('two') })
  expect(log).toEqual(['closed bad'])
  release()
  await expect.poll(() => log).toEqual(['closed bad', 'closed one'])
})
