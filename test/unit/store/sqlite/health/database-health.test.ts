import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openDatabase } from '../../../../../src/store/sqlite/driver.ts'
import type { AppError } from '../../../../../src/lib/errors.ts'
import { DatabaseHealth } from '../../../../../src/store/sqlite/health/database-health.ts'
import { monitoredDatabase } from '../../../../../src/store/sqlite/health/monitored-database.ts'
import { inTransaction } from '../../../../../src/store/sqlite/transaction.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A database that can be filled up, and what its health reported. */
function limitedDatabase() {
  const raw = openDatabase(':memory:')
  raw.exec('CREATE TABLE owner (epoch); INSERT INTO owner VALUES (1); CREATE TABLE texts (text)')
  const reports: (string | undefined)[] = []
  const health = new DatabaseHealth(raw, {
    file: ':memory:',
    readOnly: false,
    onHealth: (problem) => reports.push(problem?.message),
  })
  const database = monitoredDatabase(raw, health)
  return {
    database,
    health,
    reports,
    write: (text: string) => database.prepare('INSERT INTO texts VALUES (?)').run(text),
    limit: (pages: number) => raw.exec(`PRAGMA max_page_count = ${pages}`),
  }
}

const LARGE = 'x'.repeat(100_000)
const FULL = 'The database cannot be used: the disk is full'

describe('a full disk', () => {
  it('fails the write with an error that says so', () => {
    const { write, limit, health } = limitedDatabase()
    limit(5)
    expect(() => write(LARGE)).toThrow(
      expect.objectContaining({ code: 'unavailable', status: 503, message: FULL }) as AppError,
    )
    expect(health.problem?.message).toBe(FULL)
  })

  it('is reported once, and its end within a second', () => {
    const { write, limit, health, reports } = limitedDatabase()
    limit(5)
    for (let turn = 0; turn < 3; turn++) expect(() => write(LARGE)).toThrow(FULL)
    vi.advanceTimersByTime(5000)
    expect(reports).toEqual([FULL])
    limit(10_000)
    vi.advanceTimersByTime(1000)
    expect(reports).toEqual([FULL, undefined])
    expect(health.problem).toBeUndefined()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not end while only small writes succeed', () => {
    const { write, limit, health, database } = limitedDatabase()
    limit(5)
    expect(() => inTransaction(database, () => write(LARGE))).toThrow(FULL)
    write('small')
    vi.advanceTimersByTime(5000)
    expect(health.problem?.message).toBe(FULL)
  })

  it('leaves nothing of the attempts to write', () => {
    const { write, limit, database } = limitedDatabase()
    limit(5)
    expect(() => write(LARGE)).toThrow(FULL)
    limit(10_000)
    vi.advanceTimersByTime(1000)
    expect(database.prepare('SELECT count(*) AS texts FROM texts').get()).toMatchObject({ texts: 0 })
  })
})

it('an error that is not about the file is thrown unchanged', () => {
  const { database, health } = limitedDatabase()
  expect(() => database.prepare('SELECT * FROM absent').all()).toThrow('no such table: absent')
  expect(health.problem).toBeUndefined()
})
