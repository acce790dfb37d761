import { spansIn } from '../../rows/traces/span-chunks.ts'
import type { Sql } from '../../sql/sql.ts'
import { TraceList } from '../../sql/trace-list.ts'
import type { TraceStore } from '../../trace-store.ts'
import { DayPartitions } from '../telemetry/day-partitions.ts'
import { RemoteTail } from '../telemetry/remote-tail.ts'
import { endOrphanedTraces } from './end-orphaned-traces.ts'
import { PostgresTraceEraser } from './trace-eraser.ts'
import { PostgresTracePruner } from './trace-pruner.ts'
import { PostgresTraceReader } from './trace-reader.ts'
import type { PostgresTraceDeps } from './trace-reader.ts'
import { PostgresTraceWriter } from './trace-writer.ts'

/** Traces in Postgres. */
export function postgresTraces(deps: PostgresTraceDeps & { readonly sql: Sql }): TraceStore {
  const { database, ownerEpoch, aliveEpochs } = deps
  const partitions = new DayPartitions({ database, table: 'span_chunks', days: 'trace_days', keysPerDay: 1 })
  const writer = new PostgresTraceWriter(database, ownerEpoch, partitions)
  const reader = new PostgresTraceReader(deps)
  const list = new TraceList(deps.sql)
  const pruner = new PostgresTracePruner(database, partitions)
  const eraser = new PostgresTraceEraser(database)
  const tail = new RemoteTail({
    ownerEpoch,
    aliveEpochs,
    newest: () => reader.newestOfAll(),
    read: (after) => reader.after(after),
  })
  return {
    write: (changes) => writer.write(changes),
    list: (filter, page) => list.read(filter, page),
    get: (traceId) => list.get(traceId),
    spans: (traceId, page) => reader.spans(traceId, page),
    span: (spanId) => reader.span(spanId),
    totals: () => reader.totals(),
    endOrphaned: () => endOrphanedTraces(deps),
    delete: (traceIds, erased) => eraser.delete(traceIds, erased),
    eraseContent: async (traceIds, erased) => {
      for (const traceId of traceIds) await eraser.eraseContent(traceId, erased)
    },
    prune: (retention, limit) => pruner.prune(retention, limit),
    follow: (listener) =>
      tail.follow((chunks) => {
        listener(
          chunks.flatMap(({ traceId, spans }) =>
            spansIn(spans).map((span) => ({ ...span, traceId, isOrphaned: false })),
          ),
        )
      }),
  }
}
