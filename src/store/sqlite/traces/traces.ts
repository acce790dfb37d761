import type { TraceStore } from '../../trace-store.ts'
import type { Database } from '../driver.ts'
import { TracePruner } from './trace-pruner.ts'
import { TraceReader } from './trace-reader.ts'
import { TraceWriter } from './trace-writer.ts'

export function openTraces(database: Database, epoch: number): TraceStore {
  const reader = new TraceReader(database, epoch)
  const writer = new TraceWriter(database, epoch)
  const pruner = new TracePruner(database)
  return {
    write: async (changes) => writer.write(changes),
    list: async (filter, page) => reader.list(filter, page),
    get: async (traceId) => reader.get(traceId),
    spans: async (traceId, page) => reader.spans(traceId, page),
    span: async (spanId) => reader.span(spanId),
    totals: async () => reader.totals(),
    endStranded: async () => pruner.endStranded(),
    prune: async (retention, limit) => {
      const deleted = pruner.prune(retention, limit)
      if (deleted > 0) writer.forgetTitles()
      return deleted
    },
  }
}
