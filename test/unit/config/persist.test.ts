import { afterEach, expect, test, vi } from 'vitest'
import { beginPersistTransaction, disposePersistedValues, persist } from '../../../src/config/persist.ts'

afterEach(() => disposePersistedValues())

test('a value is opened once per key', () => {
  const open = vi.fn<() => object>(() => ({}))
  expect(persist('pool', open)).toBe(persist('pool', open))
  expect(open).toHaveBeenCalledTimes(1)
  expect(persist('other', () => 2)).toBe(2)
})

test('an asynchronous value is opened once for all callers', async () => {
  let opened = 0
  const open = async () => ++opened
  expect(await Promise.all([persist('async', open), persist('async', open)])).toEqual([1, 1])
})

test('a failed open is retried by the next call', async () => {
  await expect(persist('flaky', () => Promise.reject<number>(new Error('down')))).rejects.toThrow('down')
  await expect(persist('flaky', () => Promise.resolve(7))).resolves.toBe(7)
  expect(() =>
    persist('sync', () => {
      throw new Error('no')
    }),
  ).toThrow('no')
  expect(persist('sync', () => 1)).toBe(1)
})

test('a change of deps disposes the old value', async () => {
  const disposed: string[] = []
  const open = (url: string) =>
    persist('db', () => url, { deps: [url], dispose: (value) => void disposed.push(value) })
  open('one')
  expect(open('one')).toBe('one')
  expect(disposed).toEqual([])
  expect(open('two')).toBe('two')
  await Promise.resolve()
  await expect.poll(() => disposed).toEqual(['one'])
})

test('a failed load restores the replaced value and disposes the new one', async () => {
  const disposed: string[] = []
  const open = (url: string) =>
    persist('db', () => url, { deps: [url], dispose: (value) => void disposed.push(value) })
  open('good')
  const load = beginPersistTransaction()
  open('bad')
  expect(disposed).toEqual([])
  await load.undo()
  expect(disposed).toEqual(['bad'])
  expect(open('good')).toBe('good')
})

test('a successful load keeps the replaced value until its dispose function is called', async () => {
  const disposed: string[] = []
  const open = (url: string) =>
    persist('db', () => url, { deps: [url], dispose: (value) => void disposed.push(value) })
  open('one')
  const load = beginPersistTransaction()
  open('two')
  const disposeReplaced = load.keep()
  expect(disposed).toEqual([])
  await disposeReplaced()
  expect(disposed).toEqual(['one'])
})

test('disposing all values reports a failed one', async () => {
  const closed: string[] = []
  persist('a', () => 'a', { dispose: () => void closed.push('a') })
  void persist('b', () => Promise.resolve('b'), { dispose: async () => Promise.reject(new Error('stuck')) })
  await expect(disposePersistedValues()).rejects.toMatchObject({ errors: [new Error('stuck')] })
  expect(closed).toEqual(['a'])
})
