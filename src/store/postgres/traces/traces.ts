import { spansIn } from '../../rows/traces/span-chunks.ts'
import { SqlSpans } from '../../sql/spans.ts'
import { tx } from '../../sql/sql.ts'
import type { Sql, Transaction } from '../../sql/sql.ts'
import { TraceDeleter } from '../../sql/trace-deleter.ts'
import type { OldTrace } from '../../sql/trace-deleter.ts'
import { TraceList } from '../../sql/trace-list.ts'
import type { TraceStore } from '../../trace-store.ts'
import { DayPartitions } from '../telemetry/day-partitions.ts'
import { newestOfProcesses, nextOfProcesses, RemoteTail } from '../telemetry/remote-tail.ts'
import type { TailPosition, TelemetryDeps } from '../telemetry/remote-tail.ts'
import { NO_REFERENCE, sqlState } from '../telemetry/retried.ts'
import { PostgresTraceWriter } from './trace-writer.ts'

interface Trace extends OldTrace {
  readonly day: number
}

interface TailedChunk extends TailPosition {
  readonly traceId: string
  readonly spans: string
}

/** Chunks of one process that are read at a time. */
const TAIL_PAGE = 50
const NEWEST = newestOfProcesses('span_chunks', 'number')
const TAIL = `SELECT chunk.number, chunk."ownerEpoch", chunk.spans, traces.trace_id AS "traceId" FROM (
    ${nextOfProcesses('span_chunks', 'number', 'number, spans, trace', TAIL_PAGE)}
  ) AS chunk JOIN traces ON traces.number = chunk.trace ORDER BY chunk.number`

const OPEN_OWNERS = `SELECT DISTINCT unnest(open_on) AS "ownerEpoch" FROM traces
  WHERE status = 'running' AND status <> 'ok'`
const STILL_OPEN = 'ARRAY(SELECT epoch FROM unnest(open_on) AS epoch WHERE epoch <> ALL ($1::bigint[]))'
/** Ends traces in processes. One that runs nowhere any more has failed, unless it ended elsewhere. */
const END_IN = `UPDATE traces SET open_on = ${STILL_OPEN},
    status = CASE WHEN ${STILL_OPEN} <> '{}' THEN 'running' ELSE coalesce(outcome, 'error') END,
    outcome = CASE WHEN ${STILL_OPEN} <> '{}' THEN outcome END
  WHERE status = 'running' AND status <> 'ok' AND open_on && $1::bigint[] RETURNING status`

/** Traces in Postgres. */
export function postgresTraces(deps: TelemetryDeps): TraceStore {
  const { database, sql, ownerEpoch, aliveEpochs } = deps
  const partitions = new DayPartitions({ database, table: 'span_chunks', days: 'trace_days', keysPerDay: 1 })
  const writer = new PostgresTraceWriter(database, ownerEpoch, partitions)
  const list = new TraceList(sql)
  const spans = new SqlSpans(sql, ownerEpoch, aliveEpochs)
  const deleter = new TraceDeleter<Trace>(sql, spans, {
    columns: 'day',
    isOfTrace: 'trace = ? AND day = ?',
    chunkKey: ({ number, day }) => [number, day],
    deleteTraces,
    countLess: ({ day }, count) =>
      tx.run('UPDATE trace_days SET spans = spans - ? WHERE day = ?', [count, day]),
  })
  const tail = new RemoteTail<TailedChunk>(deps, { newest: NEWEST, next: TAIL })
  return {
    list: list.read,
    get: list.get,
    spans: spans.page,
    span: spans.find,
    totals: spans.totals,
    write: (changes) => writer.write(changes),
    endOrphaned: () => endOrphaned(deps),
    delete: deleter.delete,
    eraseContent: deleter.eraseContent,
    prune: async ({ before, keep }, limit) => {
      const deleted = await partitions.prune(sql, {
        before,
        counted: 'spans',
        keep,
        isKept: (day) => isKept(day, before),
        deleteOthers: deleteTracesOf,
        deleteSingle: (surplus) => deleter.prune(before, surplus, limit),
      })
      if (deleted > 0) await deleteTitles(sql)
      return deleted
    },
    follow: (listener) =>
      tail.follow((chunks) => {
        listener(
          chunks.flatMap(({ traceId, spans: stored }) =>
            spansIn(stored).map((span) => ({ ...span, traceId, isOrphaned: false })),
          ),
        )
      }),
  }
}

/** Ends traces in the processes that have died. Returns how many have failed. */
async function endOrphaned({ database, ownerEpoch, aliveEpochs }: TelemetryDeps): Promise<number> {
  const owners = await database.rows<{ ownerEpoch: number }>({ text: OPEN_OWNERS })
  // read after the owners: one of them that has just started is among them
  const alive = new Set([ownerEpoch, ...(await aliveEpochs())])
  const dead = owners.map((owner) => owner.ownerEpoch).filter((epoch) => !alive.has(epoch))
  if (dead.length === 0) return 0
  const ended = await database.rows<{ status: string }>({ text: END_IN, values: [dead] })
  return ended.filter(({ status }) => status === 'error').length
}

function* deleteTraces(traces: readonly Trace[]): Transaction<void> {
  const numbers = traces.map(({ number }) => number)
  const days = [...new Set(traces.map(({ day }) => day))]
  yield* tx.run('DELETE FROM span_chunks WHERE trace = ANY (?) AND day = ANY (?)', [numbers, days])
  yield* tx.run('DELETE FROM trace_subjects WHERE trace = ANY (?)', [numbers])
  yield* tx.run(
    `WITH deleted AS (DELETE FROM traces WHERE number = ANY (?) RETURNING day, span_count),
      old AS (SELECT day, count(*) AS traces, sum(span_count)::bigint AS spans FROM deleted GROUP BY 1)
      UPDATE trace_days SET traces = trace_days.traces - old.traces, spans = trace_days.spans - old.spans
      FROM old WHERE trace_days.day = old.day`,
    [numbers],
  )
}

/** Whether a trace of a day that is over has a newer span. */
function* isKept(day: number, before: number): Transaction<boolean> {
  const newer = 'SELECT 1 FROM traces WHERE day = ? AND (started_at >= ? OR ended_at >= ?) LIMIT 1'
  return (yield* tx.all(newer, [day, before, before])).length > 0
}

/** Deletes the traces of a day, whose spans are dropped. */
function* deleteTracesOf(day: number): Transaction<void> {
  yield* tx.run('DELETE FROM trace_subjects USING traces WHERE trace = number AND day = ?', [day])
  yield* tx.run('DELETE FROM traces WHERE day = ?', [day])
}

/** Deletes titles without a trace, unless another machine is just adding one. */
async function deleteTitles(sql: Sql): Promise<void> {
  try {
    await sql.run(
      'DELETE FROM trace_titles WHERE NOT EXISTS (SELECT 1 FROM traces WHERE title = trace_titles.id)',
    )
  } catch (error) {
    if (sqlState(error) !== NO_REFERENCE) throw error
  }
}
