import { afterEach, beforeEach, expect, it } from 'vitest'
import type { StoredSpan } from '../../../src/store/trace-store.ts'
import { describeOnPostgres } from '../../support/postgres/test-database.ts'
import { until } from '../../support/until.ts'
import { T0, nameOf, spanId, spanOf, traceChange, traceId } from '../store/trace-rows.ts'
import { Machines } from './machines.ts'
import type { Rooms } from './machines.ts'

const DAY = 86_400_000
const OPEN = '{"name":"open"}'

describeOnPostgres('traces of two machines', () => {
  let machines: Machines
  let one: Rooms
  let other: Rooms
  beforeEach(async () => {
    machines = await Machines.create()
    one = await machines.start()
    other = await machines.start()
  })
  afterEach(() => machines.end())

  const statusOf = async (name: string) => (await one.traces.get(traceId(name)))?.status
  const listed = async (filter = {}) =>
    (await other.traces.list(filter, { limit: 100 })).map((row) => nameOf(row.traceId))

  it('have the spans, tokens and ids of both, and the beginning of the earlier one', async () => {
    const usage = { inputTokens: 1, outputTokens: 2, costNano: 3 }
    const entity = { type: 'workflow', id: 'w', name: 'W' } as const
    // the spans of the later part are stored first
    await other.traces.write([
      traceChange('t', {
        startedAt: T0 + 50,
        kind: 'internal',
        name: 'part',
        status: undefined,
        usage,
        subjects: [['userId', 'ann']],
      }),
    ])
    await one.traces.write([
      traceChange('t', { endedAt: T0 + 20, entity, usage, subjects: [['workflowId', 'w']] }),
    ])
    const row = await other.traces.get(traceId('t'))
    expect(row).toMatchObject({
      startedAt: T0,
      endedAt: T0 + 60,
      name: 'GET /hello',
      kind: 'server',
      status: 'ok',
      entity,
      spanCount: 2,
      usage: { inputTokens: 2, outputTokens: 4, costNano: 6 },
    })
    for (const filter of [{ userId: 'ann' }, { workflowId: 'w' }, { workflowId: 'w', userId: 'ann' }])
      expect(await other.traces.list(filter, { limit: 10 })).toEqual([row])
    const spans = await one.traces.spans(traceId('t'), { limit: 10 })
    expect(spans.map((span) => span.spanId)).toEqual([spanId(T0), spanId(T0 + 50)])
    expect(await one.traces.totals()).toEqual({ traces: 1, spans: 2 })
  })

  it('are written at the same time', async () => {
    const names = ['a', 'b', 'c']
    const write = (machine: Rooms, from: number) =>
      Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          machine.traces.write(
            (n % 2 === 0 ? names : names.toReversed()).map((name) =>
              traceChange(name, { spans: [spanOf(T0, from + n)], subjects: [['userId', `u${n}`]] }),
            ),
          ),
        ),
      )
    await Promise.all([write(one, 0), write(other, 100)])
    expect(await one.traces.totals()).toEqual({ traces: 3, spans: 120 })
    for (const name of names) {
      expect(await one.traces.get(traceId(name))).toMatchObject({ spanCount: 40 })
      expect(await one.traces.spans(traceId(name), { limit: 100 })).toHaveLength(40)
    }
  })

  it('run until they have ended on both, and have failed if they failed on one', async () => {
    await one.traces.write([traceChange('t', { status: 'running' })])
    await other.traces.write([traceChange('t', { status: 'running' })])
    await other.traces.write([traceChange('t', { status: 'error' })])
    expect(await statusOf('t')).toBe('running')
    await one.traces.write([traceChange('t', { status: 'ok' })])
    expect(await statusOf('t')).toBe('error')
    // resumed later
    await other.traces.write([traceChange('t', { status: 'running' })])
    expect(await statusOf('t')).toBe('running')
    await other.traces.write([traceChange('t', { status: undefined })])
    await other.traces.write([traceChange('t', { status: 'ok' })])
    expect(await statusOf('t')).toBe('ok')
  })

  it('have failed if their only machine has died, and go on where another one takes over', async () => {
    const names = ['lost', 'taken over before', 'taken over after', 'ended elsewhere']
    await one.traces.write(names.map((name) => traceChange(name, { status: 'running' })))
    await other.traces.write([
      traceChange('own', { status: 'running' }),
      traceChange('taken over before', { status: 'running' }),
      traceChange('ended elsewhere', { status: 'ok' }),
    ])
    expect(await other.traces.endOrphaned()).toBe(0)
    one.die()
    expect(await other.traces.endOrphaned()).toBe(2)
    expect(await other.traces.endOrphaned()).toBe(0)
    await other.traces.write([traceChange('taken over after', { status: 'running' })])
    expect(await listed({ status: 'error' })).toEqual(['lost'])
    expect((await listed({ status: 'running' })).toSorted()).toEqual([
      'own',
      'taken over after',
      'taken over before',
    ])
    for (const name of ['taken over before', 'taken over after'])
      await other.traces.write([traceChange(name, { status: 'ok' })])
    expect((await listed({ status: 'ok' })).toSorted()).toEqual(
      names.filter((name) => name !== 'lost').toSorted(),
    )
  })

  it('have open spans until the machine dies that wrote them', async () => {
    const span = spanOf(T0, 0, OPEN)
    await one.traces.write([traceChange('t', { status: 'running', spans: [span] })])
    await other.traces.write([traceChange('t', { spans: [spanOf(T0 + 1, 0, OPEN)] })])
    const orphaned = async () =>
      (await other.traces.spans(traceId('t'), { limit: 10 })).map(({ isOrphaned }) => isOrphaned)
    expect(await orphaned()).toEqual([false, false])
    one.die()
    expect(await orphaned()).toEqual([true, false])
    expect(await other.traces.span(span.spanId)).toMatchObject({ isOrphaned: true, traceId: traceId('t') })
  })

  it('keep text that Postgres refuses, and ids that are too long for an index', async () => {
    const name = 'nul \0, lone \ud800, SUB \u001A'
    const entity = { type: 'agent', id: 'x'.repeat(10_000), name } as const
    await one.traces.write([
      traceChange('odd', {
        name,
        entity,
        subjects: [['userId', 'y'.repeat(10_000)]],
        spans: [spanOf(T0, 0, JSON.stringify({ name }))],
      }),
      traceChange('plain'),
    ])
    const shown = name.replace('\ud800', '\ufffd')
    expect(await other.traces.get(traceId('odd'))).toMatchObject({ name: shown, entity: { name: shown } })
    const [span] = await other.traces.spans(traceId('odd'), { limit: 10 })
    expect(JSON.parse(span?.data ?? '')).toEqual({ name })
    expect((await listed()).toSorted()).toEqual(['odd', 'plain'])
  })

  it('are deleted by dropping the partitions of past days, unless a trace has newer spans', async () => {
    const start = 20_000 * DAY
    const of = (name: string, at: number, parts = {}) =>
      traceChange(name, { startedAt: at, spans: [spanOf(at)], subjects: [['userId', 'ann']], ...parts })
    await one.traces.write([of('a', start), of('b', start + 1)])
    await other.traces.write([
      of('long', start + DAY),
      of('short', start + DAY + 1),
      of('c', start + 2 * DAY),
    ])
    // its later spans are in the partition of its day
    await one.traces.write([of('long', start + 3 * DAY, { spans: [spanOf(start + 3 * DAY)] })])
    const retention = { before: start + 2 * DAY, keep: 1000 }
    expect(await other.traces.prune(retention, 1)).toBe(2)
    expect(await other.traces.prune(retention, 1)).toBe(1)
    expect(await other.traces.prune(retention, 1)).toBe(0)
    expect(await listed({ userId: 'ann' })).toEqual(['c', 'long'])
    expect(await one.traces.spans(traceId('long'), { limit: 10 })).toHaveLength(2)
    expect(await one.traces.totals()).toEqual({ traces: 2, spans: 3 })
    const partitions = await machines.database.query(
      `SELECT FROM pg_inherits WHERE inhparent = 'span_chunks'::regclass AND inhrelid::regclass::text LIKE '%2024_10_04'`,
    )
    expect(partitions).toEqual([])
    // by number: all of the oldest day
    expect(await one.traces.prune({ before: 0, keep: 1 }, 1)).toBe(2)
    expect(await listed()).toEqual(['c'])
    // a machine that knows the partition as it was
    await one.traces.write([of('late', start)])
    expect(await listed()).toEqual(['c', 'late'])
  })

  it('can have a title again that another machine has deleted', async () => {
    await one.traces.write([traceChange('a')])
    await other.traces.prune({ before: T0 + 1000, keep: 10 }, 10)
    expect(await machines.database.query('SELECT * FROM trace_titles')).toEqual([])
    const write = async (machine: Rooms, name: string) => {
      for (let n = 0; n < 30; n++) {
        await machine.traces.write([traceChange(`${name}${n}`)])
        await machine.traces.prune({ before: T0 + 1000, keep: 10 }, 10)
      }
    }
    await Promise.all([write(one, 'one'), write(other, 'other')])
    await one.traces.write([traceChange('last')])
    expect(await listed()).toContain('last')
  })

  it('are followed from the other machine', async () => {
    await one.traces.write([traceChange('before')])
    const seen: StoredSpan[] = []
    const unfollow = other.traces.follow((spans) => seen.push(...spans))
    let count = 0
    await until(async () => {
      await one.traces.write([traceChange('begin', { spans: [spanOf(T0, ++count)] })])
      return seen.length > 0
    })
    const open = spanOf(T0 + 5, 0, OPEN)
    await one.traces.write([traceChange('t', { spans: [open] })])
    await other.traces.write([traceChange('own')])
    await one.traces.write([traceChange('t', { spans: [{ ...open, isNew: false, data: '{"endTime":7}' }] })])
    const of = (name: string) => seen.filter((span) => span.traceId === traceId(name))
    await until(() => of('t').length === 2)
    expect(of('t')).toMatchObject([
      { spanId: open.spanId, data: OPEN },
      { spanId: open.spanId, data: '{"endTime":7}' },
    ])
    expect([...of('before'), ...of('own')]).toEqual([])
    unfollow()
  })
})
