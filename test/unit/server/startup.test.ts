import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { ServerConfig } from '../../../src/config/config.ts'
import { createDeferred } from '../../../src/lib/async/wake-up.ts'
import type { OpenEngine } from '../../../src/server/open-engine.ts'
import { Startup } from '../../../src/server/startup.ts'

test('a server that takes over what an earlier process left is not ready, and says how far it is', async () => {
  const dispatcher: { takingOver: object | undefined } = { takingOver: undefined }
  const opened = { store: { dispatcher, health: { problem: undefined } } } as unknown as OpenEngine
  const started = createDeferred<void>()
  const startup = new Startup({
    open: async () => opened,
    start: () => started.promise,
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
