import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openSqliteStore } from '../../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { TempProject } from '../../support/project/temp-project.ts'
import { TestClock } from '../../support/test-clock.ts'
import { insertion } from '../store/execution-rows.ts'
import { dispatcherSuite } from './dispatcher-suite.ts'
import { job, RecordedJobs } from './recorded-jobs.ts'

const HOUR_MS = 3_600_000

const project = new TempProject()
afterAll(() => project.remove())

dispatcherSuite('the dispatcher on SQLite', {
  open: async (database) => openSqliteStore({ file: project.path(`${database}.db`) }),
})

describe('the dispatcher of one process', () => {
  let files = 0
  let file: string
  let store: Store
  let server: RecordedJobs
  let clock: TestClock
  /** Serves, and waits until what was due is done. */
  const handled = async () => {
    await store.dispatcher.serve(server)
    await store.dispatcher.settled()
  }
  const reopen = async () => {
    await store.close()
    store = openSqliteStore({ file, clock })
  }
  beforeEach(() => {
    file = project.path(`own${++files}.db`)
    clock = new TestClock()
    server = new RecordedJobs()
    store = openSqliteStore({ file, clock })
  })
  afterEach(async () => {
    vi.useRealTimers()
    await store.close()
  })

  it('hands out the running executions of earlier owners, the oldest first', async () => {
    const row = (id: string, rest = {}) => insertion({ id, ownerEpoch: store.ownerEpoch, ...rest })
    await store.executions.write([
      row('young', { createdAt: 3000 }),
      row('old', { createdAt: 1000 }),
      row('same time', { createdAt: 1000 }),
      row('suspended', { status: 'suspended' }),
      row('ended', { status: 'completed', endedAt: 2000 }),
    ])
    const from = store.ownerEpoch
    await reopen()
    await store.executions.write([row('own')])
    await handled()
    expect(server.jobs).toEqual(['old', 'same time', 'young'].map((id) => ({ kind: 'continue', id, from })))
  })

  it('hands out an execution again when the process that was to continue it has ended, too', async () => {
    await store.executions.write([insertion({ id: 'e', ownerEpoch: store.ownerEpoch })])
    const from = store.ownerEpoch
    await reopen()
    server.act = async () => 'later'
    await handled()
    await reopen()
    await handled()
    expect(server.jobs).toEqual([1, 2].map(() => ({ kind: 'continue', id: 'e', from })))
  })

  it('does at most 200 jobs at the same time', async () => {
    server.most = 10_000
    const add = Array.from({ length: 450 }, (_, index) => ({ key: `${index}`, job: job(`${index}`) }))
    await store.dispatcher.change({ add })
    const release = server.hold()
    await store.dispatcher.serve(server)
    await server.reached(200)
    release()
    await store.dispatcher.settled()
    expect(server.names).toEqual(add.map(({ key }) => key))
    expect(server.mostInProgress).toBe(200)
  })

  it('does jobs in the order of their times, not in that in which they were stored', async () => {
    const now = clock.now()
    const add = [3, 1, 2].map((n) => ({ key: `${n}`, job: job(`${n}`), at: now - HOUR_MS + n }))
    await store.dispatcher.change({ add })
    await handled()
    expect(server.names).toEqual(['1', '2', '3'])
  })

  it('waits for the jobs that were due, and for no other', async () => {
    await store.dispatcher.change({ add: [{ key: 'a', job: job('a') }] })
    await store.dispatcher.change({ add: [{ key: 'b', job: job('b'), at: clock.now() + HOUR_MS }] })
    let ended = 0
    server.act = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      ended++
      return 'done'
    }
    await handled()
    expect(ended).toBe(1)
  })

  it('tries a job that failed again after increasing delays', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const times: number[] = []
    server.act = async () => {
      times.push(Date.now())
      return 'later'
    }
    await store.dispatcher.change({ add: [{ key: 'a', job: job('a') }] })
    await handled()
    for (let tries = 2; tries <= 12; tries++) {
      for (let step = 0; step < 1000 && times.length < tries; step++) {
        await vi.advanceTimersByTimeAsync(1000)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const delays = times.slice(1).map((time, index) => Math.round((time - (times[index] ?? 0)) / 1000))
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
  })

  it('tries jobs again at once that failed before, on request and at the next start', async () => {
    server.act = async () => 'later'
    await store.dispatcher.change({ add: ['a', 'b'].map((name) => ({ key: name, job: job(name) })) })
    await handled()
    await store.dispatcher.retry()
    expect(server.names).toEqual(['a', 'b', 'a', 'b'])
    await reopen()
    await handled()
    expect(server.tried.map(({ attempt }) => attempt)).toEqual([1, 1, 2, 2, 3, 3])
  })

  it('does a job within a minute when the system clock is set forward past its time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await handled()
    await store.dispatcher.change({ add: [{ key: 'a', job: job('a'), at: clock.now() + 100 * HOUR_MS }] })
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(101 * HOUR_MS)
    expect(server.names).toEqual([])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(server.names).toEqual(['a'])
  })

  it('stores a done job as done when the process is stopped and its database closed', async () => {
    await store.dispatcher.change({ add: [{ key: 'a', job: job('a') }] })
    const release = server.hold()
    const served = store.dispatcher.serve(server)
    await server.reached(1)
    const stopped = store.dispatcher.stop()
    release()
    await Promise.all([served, stopped])
    await reopen()
    await handled()
    expect(server.names).toEqual(['a'])
  })

  it('works on a database in memory', async () => {
    const memory = openSqliteStore({ file: ':memory:', clock })
    await memory.dispatcher.serve(server)
    await memory.dispatcher.change({ add: [{ key: 'a', job: job('a') }] })
    await server.reached(1)
    expect(server.names).toEqual(['a'])
    await memory.close()
  })
})
