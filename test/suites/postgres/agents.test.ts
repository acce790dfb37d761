import { afterEach, beforeEach, expect, it } from 'vitest'
import { MAX_MESSAGES } from '../../../src/store/agents/conversation-store.ts'
import type { RunningMessages } from '../../../src/store/agents/conversation-store.ts'
import { AppError } from '../../../src/lib/errors.ts'
import { PostgresAgentRuns } from '../../../src/store/postgres/agents/agent-runs.ts'
import { PostgresSql } from '../../../src/store/postgres/postgres-sql.ts'
import type { PostgresDatabase, Query } from '../../../src/store/postgres/connection/database.ts'
import { describeOnPostgres } from '../../support/postgres/test-database.ts'
import { COMPLETED, agentRunRow, runningMessagesOf } from '../store/agent-run-rows.ts'
import { Machines } from './machines.ts'
import type { Rooms } from './machines.ts'

const ALL = { limit: 1000, offset: 0 }
const KEY = { userId: 'ann', conversationId: 'talk' }
const NO_JOBS = { clockOffset: 0, add: async () => undefined, drop: async () => undefined }
const LOST = { status: 'error', endedAt: 5, error: 'gone' } as const

describeOnPostgres('agent runs of two machines', () => {
  let machines: Machines
  let one: Rooms
  let other: Rooms
  beforeEach(async () => {
    machines = await Machines.create()
    one = await machines.start()
    other = await machines.start()
  })
  afterEach(() => machines.end())

  let runs = 0
  const answer = async (machine: Rooms, messages: readonly string[], more: Partial<RunningMessages> = {}) => {
    const id = `r${++runs}`
    await machine.agentRuns.insert(agentRunRow({ id, ownerEpoch: machine.ownerEpoch }))
    const runningMessages = runningMessagesOf({ key: KEY, messages, ...more })
    return machine.agentRuns.finish(id, COMPLETED, runningMessages)
  }

  it('are ended by another machine only when theirs has died', async () => {
    await one.agentRuns.insert(agentRunRow({ id: 'one', ownerEpoch: one.ownerEpoch }))
    await other.agentRuns.insert(agentRunRow({ id: 'other', ownerEpoch: other.ownerEpoch }))
    expect(await one.agentRuns.endOrphaned(LOST)).toBe(0)
    expect(await other.agentRuns.endOrphaned(LOST)).toBe(0)
    expect(await other.agentRuns.finish('one', COMPLETED)).toBe(false)
    one.die()
    expect(await other.agentRuns.endOrphaned(LOST)).toBe(1)
    expect(await other.agentRuns.list({ id: 'one' }, ALL)).toMatchObject([LOST])
    expect(await other.agentRuns.list({ status: 'running' }, ALL)).toMatchObject([{ id: 'other' }])
    expect(await one.agentRuns.finish('one', COMPLETED)).toBe(false)
  })

  it('are deleted with their conversations, and no more of them than retention allows', async () => {
    const numbers = Array.from({ length: 40 }, (_, n) => n)
    for (const n of numbers)
      await answer(one, [`question ${n}`], { key: { ...KEY, conversationId: `talk-${n}` } })
    for (const room of ['agentRuns', 'conversations'] as const) {
      const deleted = await Promise.all(
        [one, other, one, other].map((machine) => machine[room].prune({ endedBefore: 0, keep: 10 }, 100)),
      )
      expect(deleted.reduce((sum, count) => sum + count, 0)).toBe(30)
    }
    expect(await one.agentRuns.count({})).toBe(10)
  })

  it('extend a conversation at the same time, and no message is lost or torn apart', async () => {
    const exchanges = Array.from({ length: 60 }, (_, n) => [`question ${n}`, `answer ${n}`])
    await Promise.all(exchanges.map((pair, n) => answer(n % 2 === 0 ? one : other, pair)))
    const messages = await one.conversations.messages(KEY, 1000)
    expect(messages).toEqual(await other.conversations.messages(KEY, 1000))
    expect(messages.toSorted()).toEqual(exchanges.flat().toSorted())
    for (let n = 0; n < messages.length; n += 2)
      expect(messages[n + 1]).toBe(messages[n]?.replace('question', 'answer'))
  })

  it('keep the order of their machine', async () => {
    const sequence = async (machine: Rooms, name: string) => {
      for (let n = 0; n < 20; n++) await answer(machine, [`${name} ${n}`])
    }
    await Promise.all([sequence(one, 'one'), sequence(other, 'other')])
    const messages = await one.conversations.messages(KEY, 1000)
    for (const name of ['one', 'other'])
      expect(messages.filter((message) => message.startsWith(`${name} `))).toEqual(
        Array.from({ length: 20 }, (_, n) => `${name} ${n}`),
      )
  })

  it('replace a conversation that another machine extends', async () => {
    await answer(one, ['old'])
    await Promise.all([
      ...Array.from({ length: 20 }, (_, n) => answer(one, [`before or after ${n}`])),
      answer(other, ['summary'], { replace: true }),
    ])
    const messages = await one.conversations.messages(KEY, 1000)
    expect(messages).not.toContain('old')
    expect(messages[0]).toBe('summary')
    await answer(one, ['last'])
    expect(await machines.database.query('SELECT message FROM messages ORDER BY seq')).toEqual(
      [...messages, 'last'].map((message) => ({ message })),
    )
  })

  it('keep the newest messages up to a limit', async () => {
    const many = (from: number) => Array.from({ length: MAX_MESSAGES / 2 }, (_, n) => String(from + n))
    await answer(one, many(0))
    await Promise.all([answer(one, many(500)), answer(other, many(500)), answer(other, ['new'])])
    expect(await one.conversations.messages(KEY, MAX_MESSAGES * 2)).toHaveLength(MAX_MESSAGES)
    const [stored] = await machines.database.query<{ total: string }>(
      'SELECT count(*) AS total FROM messages',
    )
    expect(Number(stored?.total)).toBeLessThanOrEqual(MAX_MESSAGES + 501)
  })

  it('keep text that Postgres refuses', async () => {
    const text = 'nul \0, lone \ud800, SUB \u001A0'
    const userId = `ann\0`
    await one.agentRuns.insert(
      agentRunRow({ id: 'a', ownerEpoch: one.ownerEpoch, userId, input: '"\\u0000"' }),
    )
    await one.agentRuns.finish(
      'a',
      { ...COMPLETED, error: text },
      runningMessagesOf({
        key: { userId, conversationId: 'c' },
        owner: JSON.stringify(userId),
        messages: [JSON.stringify(text)],
        title: text,
      }),
    )
    expect(await other.agentRuns.list({ userId }, ALL)).toMatchObject([
      { userId, input: '"\\u0000"', error: text.replace('\ud800', '\ufffd') },
    ])
    expect(await other.conversations.messages({ userId, conversationId: 'c' }, 10)).toEqual([
      JSON.stringify(text),
    ])
    expect(await other.conversations.list({ userId }, ALL)).toMatchObject([
      { userId, title: text.replace('\ud800', '\ufffd') },
    ])
  })

  it('are stored once when the answer of the database is lost, however often', async () => {
    const { databases, ownerEpoch } = one
    let toLose = 0
    const losing: PostgresDatabase = {
      transaction: (work) => databases.writes.transaction(work),
      change: async (query) => lose(await databases.writes.change(query)),
      rows: async <Row>(query: Query) => lose(await databases.writes.rows<Row>(query)),
    }
    const lose = <Result>(result: Result): Result => {
      if (toLose-- <= 0) return result
      throw new AppError('unavailable', 'The connection was lost')
    }
    const runs = new PostgresAgentRuns({
      sql: new PostgresSql({ reads: databases.reads, writes: losing, jobs: NO_JOBS }),
      writes: losing,
      ownerEpoch,
      aliveEpochs: async () => [],
      onCommitted: () => undefined,
      closing: new AbortController().signal,
    })
    toLose = 2
    await runs.insert(agentRunRow({ id: 'a', ownerEpoch }))
    toLose = 2
    const runningMessages = runningMessagesOf({ key: KEY, messages: ['hi'] })
    expect(await runs.finish('a', COMPLETED, runningMessages)).toBe(true)
    toLose = 2
    expect(await runs.finish('a', { ...COMPLETED, endedAt: 9 }, runningMessages)).toBe(false)
    expect(await other.agentRuns.list({}, ALL)).toMatchObject([{ id: 'a', ...COMPLETED }])
    expect(await other.conversations.messages(KEY, 10)).toEqual(['hi'])
    expect(await machines.database.query('SELECT sum(answers)::int AS answers FROM hours')).toEqual([
      { answers: 1 },
    ])
  })

  it('are deleted by both machines at once without waiting for each other', async () => {
    for (let n = 0; n < 40; n++)
      await answer(n % 2 === 0 ? one : other, ['hi'], { key: { userId: null, conversationId: `c${n}` } })
    const retention = { endedBefore: 10_000, keep: 100 }
    const prune = async ({ agentRuns, conversations }: Rooms) => {
      let deleted = 0
      for (let count = 1; count > 0; deleted += count) count = await agentRuns.prune(retention, 3)
      for (let count = 1; count > 0; deleted += count) count = await conversations.prune(retention, 3)
      return deleted
    }
    const [byOne, byOther] = await Promise.all([prune(one), prune(other)])
    expect(byOne + byOther).toBe(80)
    expect(await machines.database.query('SELECT * FROM messages')).toEqual([])
  })
})
