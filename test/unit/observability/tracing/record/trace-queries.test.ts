import { expect, test } from 'vitest'
import { TraceQueries } from '../../../../../src/observability/tracing/record/trace-queries.ts'
import { openSqliteStore } from '../../../../../src/store/sqlite/sqlite-store.ts'
import type { StoredSpan } from '../../../../../src/store/trace-store.ts'

const ids = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }
const open = '{"name":"step","kind":"internal","startTime":1,"status":"running","attributes":{}}'

/** The span that queries return for a stored one. */
async function read(parts: Pick<StoredSpan, 'data' | 'isOrphaned'>) {
  const { traces } = openSqliteStore({ file: ':memory:' })
  const store = { ...traces, span: async () => ({ ...ids, ...parts }) }
  return new TraceQueries(store, async () => undefined).span(ids.spanId)
}

test('an open span of this process is running', async () => {
  expect(await read({ data: open, isOrphaned: false })).toMatchObject({
    ...ids,
    name: 'step',
    parentSpanId: null,
    status: 'running',
    endTime: null,
  })
})

test('an open span of an earlier process has failed', async () => {
  expect(await read({ data: open, isOrphaned: true })).toMatchObject({
    name: 'step',
    status: 'error',
    statusMessage: 'The process stopped before the span ended',
  })
})

test('an ended span of an earlier process is unchanged', async () => {
  const data = open.replace('"status":"running"', '"endTime":2.5,"status":"ok"')
  expect(await read({ data, isOrphaned: true })).toMatchObject({ status: 'ok', durationMs: 1.5 })
})

test('a damaged span is returned as unreadable', async () => {
  expect(await read({ data: open.slice(0, -5), isOrphaned: false })).toMatchObject({
    ...ids,
    name: 'unreadable',
    status: 'error',
    statusMessage: 'The record of this span is damaged',
  })
})

test('spans that cannot be stored do not keep a query waiting', async () => {
  const { traces } = openSqliteStore({ file: ':memory:' })
  const away = new Promise<void>(() => undefined)
  expect(await new TraceQueries(traces, () => away).totals()).toEqual({ traces: 0, spans: 0 })
})
