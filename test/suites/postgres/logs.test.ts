import { afterEach, beforeEach, expect, it } from 'vitest'
import { IDS_PER_MS } from '../../../src/store/log-store.ts'
import { describeOnPostgres } from '../../support/postgres/test-database.ts'
import { collectLogs } from '../../support/telemetry/collect-logs.ts'
import { until } from '../../support/until.ts'
import { logRow } from '../store/log-rows.ts'
import { Machines } from './machines.ts'
import type { Rooms } from './machines.ts'

const DAY = 86_400_000
const T0 = 20_000 * DAY

describeOnPostgres('logs of two machines', () => {
  let machines: Machines
  let one: Rooms
  let other: Rooms
  beforeEach(async () => {
    machines = await Machines.create()
    one = await machines.start()
    other = await machines.start()
  })
  afterEach(() => machines.end())

  const partitions = async () => {
    const rows = await machines.database.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'logs'::regclass ORDER BY 1`,
    )
    return rows.map(({ name }) => name)
  }
  const messages = async (machine: Rooms) =>
    (await machine.logs.list({}, { limit: 1000 })).map(({ message }) => message)

  it('keep every record when both give the same ids, in the order of time', async () => {
    const batch = (name: string) =>
      Array.from({ length: 20 }, (_, n) => logRow(T0 + n, { message: `${name} ${n}` }))
    await Promise.all([one.logs.insert(batch('one')), other.logs.insert(batch('other'))])
    await one.logs.insert([logRow(T0 + 20, { message: 'last' })])
    const rows = await other.logs.list({}, { limit: 100 })
    expect(rows).toHaveLength(41)
    expect(new Set(rows.map(({ id }) => id)).size).toBe(41)
    expect(rows.map(({ timestamp }) => timestamp)).toEqual(
      rows.map(({ timestamp }) => timestamp).toSorted((a, b) => b - a),
    )
    expect(await other.logs.count()).toBe(41)
  })

  it('take the next free ids when many follow each other', async () => {
    const batch = (from: number) =>
      Array.from({ length: 30 }, (_, n) => logRow(T0, { id: T0 * IDS_PER_MS + from + n }))
    await one.logs.insert(batch(0))
    await other.logs.insert(batch(10))
    await other.logs.insert(batch(40))
    const ids = (await one.logs.list({}, { limit: 100 })).map(({ id }) => id - T0 * IDS_PER_MS)
    expect(ids.toReversed()).toEqual(Array.from({ length: 90 }, (_, n) => n))
    expect(await one.logs.newest()).toBe(T0 * IDS_PER_MS + 29)
    expect(await other.logs.newest()).toBe(T0 * IDS_PER_MS + 89)
  })

  it('keep text that Postgres refuses, and records whose ids are too long for an index', async () => {
    const message = 'nul \0, lone \ud800, SUB \u001A'
    await one.logs.insert([
      logRow(T0, { message, attributes: JSON.stringify({ text: message }), traceId: 'a\0b' }),
      logRow(T0 + 1, { message: 'long', executionId: 'x'.repeat(10_000), level: 30.5, timestamp: T0 + 0.5 }),
      logRow(T0 + 2, { message: 'other' }),
    ])
    expect(await messages(other)).toEqual(['other', 'long', message.replace('\ud800', '\ufffd')])
    const [, , first] = await other.logs.list({}, { limit: 10 })
    expect(JSON.parse(first?.attributes ?? '')).toEqual({ text: message })
    expect(await one.logs.list({ words: ['nul'] }, { limit: 10 })).toHaveLength(1)
  })

  it('are in a partition for each day, which any machine creates', async () => {
    await Promise.all([
      one.logs.insert([logRow(T0), logRow(T0 + 1)]),
      other.logs.insert([logRow(T0 + DAY - 1), logRow(T0 + DAY)]),
      // the clock of a machine is far off
      other.logs.insert([logRow(1000), logRow(T0 + 300 * DAY)]),
    ])
    expect(await partitions()).toEqual(
      ['1970_01_01', '1970_01_02', '2024_10_04', '2024_10_05', '2024_10_06', '2025_07_31', '2025_08_01'].map(
        (day) => `logs_${day}`,
      ),
    )
    expect(await one.logs.count()).toBe(6)
  })

  it('are deleted by dropping the partitions of past days', async () => {
    for (let day = 0; day < 4; day++)
      await one.logs.insert(Array.from({ length: 50 }, (_, n) => logRow(T0 + day * DAY + n)))
    const retention = { before: T0 + 2 * DAY + 10, keep: 1000 }
    expect(await other.logs.prune(retention, 5)).toBe(50)
    expect(await other.logs.prune(retention, 5)).toBe(50)
    expect(await partitions()).toEqual(['logs_2024_10_06', 'logs_2024_10_07'])
    // single records of the day that is not over
    expect(await other.logs.prune(retention, 5)).toBe(5)
    expect(await one.logs.prune(retention, 100)).toBe(5)
    expect(await one.logs.prune(retention, 100)).toBe(0)
    expect(await one.logs.count()).toBe(90)
    expect(await one.logs.prune({ before: 0, keep: 45 }, 5)).toBe(40)
    expect(await one.logs.prune({ before: 0, keep: 45 }, 100)).toBe(5)
    expect(await one.logs.list({}, { limit: 100 })).toHaveLength(45)
  })

  it('can be stored for a day whose partition another machine has dropped', async () => {
    await one.logs.insert([logRow(T0)])
    await other.logs.prune({ before: T0 + 2 * DAY, keep: 10 }, 10)
    await one.logs.insert([logRow(T0 + 1, { message: 'late' })])
    expect(await messages(other)).toEqual(['late'])
  })

  it('are followed from the other machine, also with smaller ids than those before', async () => {
    await one.logs.insert([logRow(T0, { message: 'before' })])
    await other.logs.insert([logRow(T0, { message: 'own' })])
    const seen: string[] = []
    const unfollow = other.logs.follow((rows) => seen.push(...rows.map(({ message }) => message)))
    await until(async () => {
      await one.logs.insert([logRow(T0 + 1 + seen.length, { message: 'started' })])
      return seen.length > 0
    })
    seen.length = 0
    // its clock is an hour behind
    const third = await machines.start()
    await third.logs.insert([logRow(T0 - 3_600_000, { message: 'late 1' })])
    await one.logs.insert([logRow(T0 + 1000, { message: 'now' })])
    await other.logs.insert([logRow(T0 + 1000, { message: 'own' })])
    await until(() => seen.includes('late 1'))
    await third.logs.insert([logRow(T0 - 3_599_000, { message: 'late 2' })])
    third.die()
    await until(() => ['late 1', 'late 2', 'now'].every((message) => seen.includes(message)))
    expect(seen.filter((message) => message !== 'started').toSorted()).toEqual(['late 1', 'late 2', 'now'])
    unfollow()
    unfollow()
  })

  it('are in the live log of the other machine within a second, and in its own once', async () => {
    const [first, second] = [collectLogs().logs, collectLogs().logs]
    await first.storeIn(one.logs)
    await second.storeIn(other.logs)
    const seen: { message: string; after: number }[] = []
    let loggedAt = 0
    const leave = second.feed.subscribe(({ message }) => {
      seen.push({ message, after: performance.now() - loggedAt })
    })
    await until(() => {
      first.logger.info('started')
      return seen.length > 0
    })
    loggedAt = performance.now()
    second.logger.info('here')
    first.logger.info({ executionId: 'e' }, 'there')
    await until(() => seen.some(({ message }) => message === 'there'))
    expect(seen.filter(({ message }) => message === 'here')).toHaveLength(1)
    expect(seen.find(({ message }) => message === 'there')?.after).toBeLessThan(5000)
    leave()
    await Promise.all([first.close(), second.close()])
    const stored = await other.logs.list({ words: ['here'] }, { limit: 10 })
    expect(stored.map(({ message }) => message)).toContain('there')
  })
})
