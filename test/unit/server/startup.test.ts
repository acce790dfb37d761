import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import type { ServerConfig } from '../../../src/config/config.ts'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import { AppError } from '../../../src/lib/errors.ts'
import type { OpenEngine } from '../../../src/server/open-engine.ts'
import { Startup } from '../../../src/server/startup.ts'

test('a server that takes over what an earlier process left is not ready, and says how far it is', async () => {
  const dispatcher: { takingOver: object | undefined } = { takingOver: undefined }
  const opened = { store: { dispatcher, health: { problem: undefined } } } as unknown as OpenEngine
  const started = createDeferred<void>()
  const startup = new Startup({
    open: async () => opened,
    start: () => started.promise,
    retry: true,
    logger: pino({ level: 'silent' }),
    isStopping: () => false,
  })
  await startup.open({} as ServerConfig)
  const starting = startup.start(opened)
  expect(() => startup.requireDone()).toThrow('Not ready')
  dispatcher.takingOver = { done: 3100, total: 20_000 }
  expect(() => startup.requireDone()).toThrow('recovering 3,100 of 20,000')
  started.resolve()
  await starting
  expect(() => startup.requireDone()).not.toThrow()
})

interface Failing {
  readonly retry?: boolean
  /** Whether the database is one that can be away. */
  readonly waits?: boolean
  readonly error?: Error
}

/** A start of which the first attempt fails. */
function failing({ retry = true, waits = true, error = new AppError('unavailable', 'away') }: Failing) {
  const health = { problem: undefined, waits, opened: Promise.resolve() }
  const opened = { store: { dispatcher: {}, health } } as unknown as OpenEngine
  const start = vi.fn<() => Promise<void>>(async () => {
    if (start.mock.calls.length < 2) throw error
  })
  const logger = pino({ level: 'silent' })
  const startup = new Startup({ open: async () => opened, start, retry, logger, isStopping: () => false })
  return { startup, opened, start }
}

test('a start that the database interrupts is repeated until it succeeds', async () => {
  const { startup, opened, start } = failing({})
  await startup.open({} as ServerConfig)
  await startup.start(opened)
  await vi.waitUntil(() => startup.isDone)
  expect(start).toHaveBeenCalledTimes(2)
  expect(() => startup.requireDone()).not.toThrow()
})

test.each<[string, Failing]>([
  ['the database is a file', { waits: false }],
  ['the error is another one', { error: new Error('a fault') }],
  ['a command needs an answer', { retry: false }],
])('a start that fails rejects when %s', async (_, options) => {
  const { startup, opened, start } = failing(options)
  await startup.open({} as ServerConfig)
  await expect(startup.start(opened)).rejects.toThrow(options.error ?? 'away')
  expect(start).toHaveBeenCalledTimes(1)
})
