import { afterEach, expect, test, vi } from 'vitest'
import { beginPersistTransaction, disposePersistedValues, persist } from '../../../src/config/persist.ts'

afterEach(() => disposePersistedValues())

test('a value is opened once per key', () => {
  const open = vi.fn<() => object>(() => ({}))
  expect(persist('pool', open)).toBe(persist('pool', open))
  expect(open).toHaveBeenCalledTimes(1)
  expect(persist('other', () => 2)).toBe(2)
})

test('an asynchronous value is opened once for all who wait', async () => {
  let opened = 0
  const open = async () => ++opened
  expect(await Promise.all([persist('async', open), persist('async', open)])).toEqual([1, 1])
})

test('an opening that failed is tried again', async () => {
  await expect(persist('flaky', () => Promise.reject<number>(new Error('down')))).rejects.toThrow('down')
  await expect(persist('flaky', () => Promise.resolve(7))).resolves.toBe(7)
  expect(() =>
    persist('sync', () => {
      throw new Error('no')
    }),
  ).toThrow('no')
  expect(persist('sync', () => 1)).toBe(1)
})

test('when its deps change the old value is disposed', async () => {
  const disposed: string[] = []
  const open = (url: string) =>
    persist('db', () => url, { deps: [url], dispose: (value) => void disposed.push(value) })
  open('one')
  expect(open('one')).toBe('one')
  expect(disposed).toEqual([])
  expect(open('two')).toBe('two')
  await Promise.resolve()
  await vi.waitFor(() => expect(disposed).toEqual(['one']))
})

test('a load that fails brings the replaced value back and disposes the new one', async () => {
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

test('a load that succeeds keeps the replaced value until it is told to dispose it', async () => {
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

test('at the end every value is closed, and a failure to close is told', async () => {
  const closed: string[] = []
  persist('a', () => 'a', { dispose: () => void closed.push('a') })
  void persist('b', () => Promise.resolve('b'), { dispose: async () => Promise.reject(new Error('stuck')) })
  await expect(disposePersistedValues()).rejects.toMatchObject({ errors: [new Error('stuck')] })
  expect(closed).toEqual(['a'])
})
