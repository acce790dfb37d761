import type { TraceStore } from '../../trace-store.ts'
import type { Database } from '../driver.ts'
import { ContentEraser } from './content-eraser.ts'
import { TracePruner } from './trace-pruner.ts'
import { TraceReader } from './trace-reader.ts'
import { TraceWriter } from './trace-writer.ts'

export function openTraces(database: Database, ownerEpoch: number): TraceStore {
  const reader = new TraceReader(database, ownerEpoch)
  const writer = new TraceWriter(database, ownerEpoch)
  const pruner = new TracePruner(database)
  const eraser = new ContentEraser(database)
  let hasEnded = false
  return {
    write: async (changes) => writer.write(changes),
    list: async (filter, page) => reader.list(filter, page),
    get: async (traceId) => reader.get(traceId),
    spans: async (traceId, page) => reader.spans(traceId, page),
    span: async (spanId) => reader.span(spanId),
    totals: async () => reader.totals(),
    endOrphaned: async () => {
      // those that run later are of this process
      if (hasEnded) return 0
      hasEnded = true
      return pruner.endOrphaned()
    },
    eraseContent: async (traceIds, conversation) => {
      for (const traceId of traceIds) eraser.erase(traceId, conversation)
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
