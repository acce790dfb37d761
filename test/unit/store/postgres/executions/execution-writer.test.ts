import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AppError } from '../../../../../src/lib/errors.ts'
import type { PostgresDatabase } from '../../../../../src/store/postgres/connection/database.ts'
import { PostgresExecutionWriter } from '../../../../../src/store/postgres/executions/execution-writer.ts'
import { insertion } from '../../../../suites/store/execution-rows.ts'

const AWAY = new AppError('unavailable', 'The database cannot be used')
const DEADLOCK = Object.assign(new Error('deadlock detected'), { code: '40P01' })
const OTHER = Object.assign(new Error('disk full'), { code: '53100' })

describe('a write to Postgres', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** A writer to a database that fails with `errors`, one after the other; `undefined`: it works. */
  const writerTo = (errorOf: (call: number) => Error | undefined) => {
    const closing = new AbortController()
    const calls: unknown[] = []
    const call = async () => {
      const error = errorOf(calls.length)
      calls.push(error)
      if (error) throw error
      return [{ refused: [], stored: [] }]
    }
    const database = { rows: call } as unknown as PostgresDatabase
    const jobs = { clockOffset: 0, add: async () => undefined, drop: async () => undefined }
    const deps = { database, jobs, ownerEpoch: 1, closing: closing.signal, onCommitted: () => undefined }
    const writer = new PostgresExecutionWriter(deps)
    const write = () => writer.write([insertion({ id: 'a' })]).catch((error: unknown) => error)
    return { write, calls, close: () => closing.abort() }
  }

  it('waits for a database that is away for 30 s', async () => {
    const back = Date.now() + 30_000
    const { write, calls } = writerTo(() => (Date.now() < back ? AWAY : undefined))
    const written = write()
    await vi.advanceTimersByTimeAsync(31_000)
    expect(await written).toEqual([true])
    expect(calls.length).toBeGreaterThan(30)
  })

  it('fails when the database is away for more than a minute', async () => {
    const { write } = writerTo(() => AWAY)
    let error: unknown
    void write().then((reason) => (error = reason))
    await vi.advanceTimersByTimeAsync(59_000)
    expect(error).toBeUndefined()
    await vi.advanceTimersByTimeAsync(2000)
    expect(error).toBe(AWAY)
  })

  it('does not wait again in the same outage, but in the next one', async () => {
    let isAway = true
    const { write } = writerTo(() => (isAway ? AWAY : undefined))
    const first = write()
    await vi.advanceTimersByTimeAsync(61_000)
    expect(await first).toBe(AWAY)
    expect(await write()).toBe(AWAY)
    isAway = false
    expect(await write()).toEqual([true])
    isAway = true
    const later = write()
    await vi.advanceTimersByTimeAsync(30_000)
    isAway = false
    await vi.advanceTimersByTimeAsync(1000)
    expect(await later).toEqual([true])
  })

  it('waits for a database that is away again long after nothing was written', async () => {
    let isAway = true
    const { write } = writerTo(() => (isAway ? AWAY : undefined))
    const first = write()
    await vi.advanceTimersByTimeAsync(61_000)
    expect(await first).toBe(AWAY)
    await vi.advanceTimersByTimeAsync(3_600_000)
    const later = write()
    await vi.advanceTimersByTimeAsync(10_000)
    isAway = false
    await vi.advanceTimersByTimeAsync(1000)
    expect(await later).toEqual([true])
  })

  it('waits no more when the store closes', async () => {
    const { write, close } = writerTo(() => AWAY)
    const written = write()
    await vi.advanceTimersByTimeAsync(1000)
    close()
    expect(await written).toBe(AWAY)
  })

  it('fails at once when the database refuses it', async () => {
    const { write, calls } = writerTo(() => OTHER)
    expect(await write()).toBe(OTHER)
    expect(calls).toHaveLength(1)
  })

  it('is repeated after a deadlock, but not for ever', async () => {
    const once = writerTo((call) => (call < 3 ? DEADLOCK : undefined))
    expect(await once.write()).toEqual([true])
    const always = writerTo(() => DEADLOCK)
    expect(await always.write()).toBe(DEADLOCK)
    expect(always.calls).toHaveLength(11)
  })
})
