import { firstChunk } from '../../rows/traces/span-chunks.ts'
import { SqlSpans } from '../../sql/spans.ts'
import { tx } from '../../sql/sql.ts'
import type { Sql, Transaction } from '../../sql/sql.ts'
import { TraceDeleter } from '../../sql/trace-deleter.ts'
import type { OldTrace } from '../../sql/trace-deleter.ts'
import { TraceList } from '../../sql/trace-list.ts'
import type { TraceStore } from '../../trace-store.ts'
import type { Database } from '../driver.ts'
import { TraceWriter } from './trace-writer.ts'

interface Trace extends OldTrace {
  readonly title: number
}

const IS_OF_TRACE = 'number BETWEEN ? AND ?'
const DELETE_TITLE =
  'DELETE FROM trace_titles WHERE id = ? AND NOT EXISTS (SELECT 1 FROM traces WHERE title = ?)'
const COUNT_LESS = 'UPDATE trace_totals SET traces = traces - ?, spans = spans - ?'

/** Traces in SQLite. */
export function sqliteTraces(database: Database, sql: Sql, ownerEpoch: number): TraceStore {
  const writer = new TraceWriter(database, ownerEpoch)
  const list = new TraceList(sql)
  // no other process writes to the database
  const spans = new SqlSpans(sql, ownerEpoch, async () => [])
  const deleter = new TraceDeleter<Trace>(sql, spans, {
    columns: 'title',
    isOfTrace: IS_OF_TRACE,
    chunkKey,
    *deleteTraces(traces): Transaction<void> {
      for (const trace of traces) {
        yield* tx.run(`DELETE FROM span_chunks WHERE ${IS_OF_TRACE}`, chunkKey(trace))
        yield* tx.run('DELETE FROM trace_subjects WHERE trace = ?', [trace.number])
        yield* tx.run('DELETE FROM traces WHERE number = ?', [trace.number])
        yield* tx.run(DELETE_TITLE, [trace.title, trace.title])
        yield* tx.run(COUNT_LESS, [1, trace.spanCount])
      }
      writer.forgetTitles()
    },
    countLess: (_, count) => tx.run(COUNT_LESS, [0, count]),
  })
  let hasEnded = false
  return {
    list: list.read,
    get: list.get,
    spans: spans.page,
    span: spans.find,
    totals: spans.totals,
    write: async (changes) => writer.write(changes),
    endOrphaned: async () => {
      // those that run later are of this process
      if (hasEnded) return 0
      hasEnded = true
      return sql.run(`UPDATE traces SET status = 'error' WHERE status = 'running' AND status <> 'ok'`)
    },
    delete: deleter.delete,
    eraseContent: deleter.eraseContent,
    prune: ({ before, keep }, limit) =>
      sql.transaction(function* () {
        const [stored] = yield* tx.all<{ spans: number }>('SELECT spans FROM trace_totals')
        return yield* deleter.prune(before, (stored?.spans ?? 0) - keep, limit)
      }),
    follow: () => () => undefined,
  }
}

function chunkKey({ number }: Trace): readonly number[] {
  return [firstChunk(number), firstChunk(number + 1) - 1]
}
