import type { Sql } from '../../sql/sql.ts'
import { TraceList } from '../../sql/trace-list.ts'
import type { TraceStore } from '../../trace-store.ts'
import type { Database } from '../driver.ts'
import { TraceEraser } from './trace-eraser.ts'
import { TracePruner } from './trace-pruner.ts'
import { TraceReader } from './trace-reader.ts'
import { TraceWriter } from './trace-writer.ts'

export function openTraces(database: Database, sql: Sql, ownerEpoch: number): TraceStore {
  const traces = new TraceList(sql)
  const reader = new TraceReader(database, ownerEpoch)
  const writer = new TraceWriter(database, ownerEpoch)
  const pruner = new TracePruner(database)
  const eraser = new TraceEraser(database, pruner)
  let hasEnded = false
  return {
    write: async (changes) => writer.write(changes),
    list: (filter, page) => traces.read(filter, page),
    get: (traceId) => traces.get(traceId),
    spans: async (traceId, page) => reader.spans(traceId, page),
    span: async (spanId) => reader.span(spanId),
    totals: async () => reader.totals(),
    endOrphaned: async () => {
      // those that run later are of this process
      if (hasEnded) return 0
      hasEnded = true
      return pruner.endOrphaned()
    },
    delete: async (traceIds, erased) => {
      const deleted = eraser.delete(traceIds, erased)
      writer.forgetTitles()
      return deleted
    },
    eraseContent: async (traceIds, erased) => {
      for (const traceId of traceIds) eraser.eraseContent(traceId, erased)
    },
    prune: async (retention, limit) => {
      const deleted = pruner.prune(retention, limit)
      if (deleted > 0) writer.forgetTitles()
      return deleted
    },
    // no other process writes to the database
    follow: () => () => undefined,
  }
}
