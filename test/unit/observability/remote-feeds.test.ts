import { describe, expect, it } from 'vitest'
import type { LogRecord } from '../../../src/contract/endpoints/log.ts'
import type { SpanEvent } from '../../../src/contract/endpoints/trace.ts'
import { LogFeed } from '../../../src/observability/logs/log-feed.ts'
import { SpanFeed } from '../../../src/observability/tracing/record/span-feed.ts'
import type { StoredSpan } from '../../../src/store/trace-store.ts'
import { logRow } from '../../suites/store/log-rows.ts'
import { spanId, traceId } from '../../suites/store/trace-rows.ts'

/** A store whose records come from other processes. */
class OtherProcesses<Row> {
  #listeners = new Set<(rows: readonly Row[]) => void>()

  get followers(): number {
    return this.#listeners.size
  }

  readonly follow = (listener: (rows: readonly Row[]) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  store(...rows: Row[]): void {
    for (const listener of this.#listeners) listener(rows)
  }
}

describe('the live log', () => {
  it('has the records of other processes, which are read only while somebody listens', () => {
    const others = new OtherProcesses<ReturnType<typeof logRow>>()
    const feed = new LogFeed()
    const seen: LogRecord[] = []
    const leaveEarly = feed.subscribe((record) => void seen.push(record))
    expect(others.followers).toBe(0)
    feed.follow(others)
    expect(others.followers).toBe(1)
    const leave = feed.subscribe(() => undefined)
    others.store(logRow(1, { message: 'there', level: 40, attributes: '{"n":1}' }))
    expect(seen).toMatchObject([{ id: '1024', message: 'there', level: 'warn', attributes: { n: 1 } }])
    leaveEarly()
    leaveEarly()
    expect(others.followers).toBe(1)
    expect(feed.hasListeners).toBe(true)
    leave()
    expect(others.followers).toBe(0)
    expect(feed.hasListeners).toBe(false)
  })
})

describe('live spans', () => {
  const span = (count: number, endTime?: number): StoredSpan => ({
    traceId: traceId('t'),
    spanId: spanId(1_700_000_000_000, count),
    isOrphaned: false,
    data: JSON.stringify({
      name: `span ${count}`,
      kind: 'internal',
      startTime: 1_700_000_000_000,
      ...(endTime !== undefined && { endTime }),
      status: endTime === undefined ? 'running' : 'ok',
      attributes: {},
    }),
  })

  it('of other processes start and end once each, parents before their children', () => {
    const others = new OtherProcesses<StoredSpan>()
    const feed = new SpanFeed()
    feed.follow(others)
    const events: SpanEvent[] = []
    const leave = feed.subscribe((event) => void events.push(event))
    others.store(span(1), span(2, 1_700_000_000_005))
    others.store(span(1, 1_700_000_000_009))
    expect(events.map(({ type, span: { name, status } }) => `${type} ${name} ${status}`)).toEqual([
      'span:start span 1 running',
      'span:start span 2 running',
      'span:end span 2 ok',
      'span:end span 1 ok',
    ])
    expect(events[1]?.span).toMatchObject({ endTime: null, durationMs: null })
    expect(events[3]?.span).toMatchObject({ durationMs: 9 })
    leave()
    expect(others.followers).toBe(0)
  })
})
