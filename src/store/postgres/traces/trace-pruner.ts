import { DAY_MS } from '../../activity-store.ts'
import type { PostgresDatabase, PostgresQueries } from '../connection/database.ts'
import { isInUse } from '../telemetry/day-partitions.ts'
import type { DayPartitions } from '../telemetry/day-partitions.ts'
import { isOnlyPruner } from '../telemetry/only-pruner.ts'
import { NO_REFERENCE } from '../telemetry/retried.ts'
import { sqlState } from '../telemetry/sql-state.ts'

interface Retention {
  readonly before: number
  readonly keep: number
}

interface Day {
  readonly day: number
  readonly spans: number
}

/** A trace that can be deleted. */
export interface OldTrace {
  readonly number: number
  readonly day: number
  readonly spanCount: number
}

/** Maximum number of traces that are deleted at a time. */
const MAX_TRACES = 200

/** Deletes traces that retention does not cover: whole days at once, and single traces. */
export class PostgresTracePruner {
  readonly #database: PostgresDatabase
  readonly #partitions: DayPartitions

  constructor(database: PostgresDatabase, partitions: DayPartitions) {
    this.#database = database
    this.#partitions = partitions
  }

  async prune(retention: Retention, limit: number): Promise<number> {
    try {
      const deleted = await this.#database.transaction((tx) => this.#prune(tx, retention, limit))
      if (deleted > 0) await this.#deleteTitles()
      return deleted
    } catch (error) {
      if (isInUse(error)) return 0
      throw error
    }
  }

  async #prune(tx: PostgresQueries, { before, keep }: Retention, limit: number): Promise<number> {
    if (!(await isOnlyPruner(tx, 'traces'))) return 0
    const days = await tx.rows<Day>({ text: 'SELECT day, spans FROM trace_days ORDER BY day' })
    const [oldest] = days
    if (!oldest) return 0
    const surplus = days.reduce((sum, { spans }) => sum + spans, 0) - keep
    const isSurplus = surplus > 0 && surplus >= oldest.spans
    if (isSurplus || (await this.#isExpired(tx, oldest.day, before))) {
      await this.#dropDay(tx, oldest.day)
      // an empty day is no reason to stop
      return oldest.spans || this.#prune(tx, { before, keep }, limit)
    }
    const expired = await oldestTraces(tx, 'WHERE started_at < $2 AND ended_at < $2', [before])
    if (expired.length > 0) return this.#delete(tx, expired, limit)
    if (surplus <= 0) return 0
    return this.#delete(tx, await oldestTraces(tx, '', []), Math.min(limit, surplus))
  }

  /** Whether the day is over, and no trace of it has a newer span. */
  async #isExpired(tx: PostgresQueries, day: number, before: number): Promise<boolean> {
    if ((day + 1) * DAY_MS > before) return false
    const kept = await tx.rows({
      text: 'SELECT 1 FROM traces WHERE day = $1 AND (started_at >= $2 OR ended_at >= $2) LIMIT 1',
      values: [day, before],
    })
    return kept.length === 0
  }

  async #dropDay(tx: PostgresQueries, day: number): Promise<void> {
    const values = [day]
    await tx.change({
      text: 'DELETE FROM trace_subjects USING traces WHERE trace = number AND day = $1',
      values,
    })
    await tx.change({ text: 'DELETE FROM traces WHERE day = $1', values })
    await this.#partitions.drop(tx, day)
  }

  /** Deletes whole traces up to `limit` spans. If the first trace is larger, only its oldest chunks are deleted. */
  async #delete(tx: PostgresQueries, traces: readonly OldTrace[], limit: number): Promise<number> {
    const whole: OldTrace[] = []
    let spans = 0
    for (const trace of traces) {
      if (spans + trace.spanCount > limit) break
      spans += trace.spanCount
      whole.push(trace)
    }
    const [first] = traces
    if (whole.length > 0 || !first) await deleteTraces(tx, whole)
    else spans = await shorten(tx, first, limit)
    return spans
  }

  /** Deletes titles without a trace, unless another machine is just adding one. */
  async #deleteTitles(): Promise<void> {
    try {
      await this.#database.change({
        text: 'DELETE FROM trace_titles WHERE NOT EXISTS (SELECT 1 FROM traces WHERE title = trace_titles.id)',
      })
    } catch (error) {
      if (sqlState(error) !== NO_REFERENCE) throw error
    }
  }
}

/** The oldest traces, locked, so that no other process adds spans to them. */
function oldestTraces(
  tx: PostgresQueries,
  condition: string,
  values: readonly unknown[],
): Promise<OldTrace[]> {
  return tx.rows({
    text: `SELECT number, day, span_count AS "spanCount" FROM traces ${condition}
      ORDER BY started_at, number LIMIT $1 FOR UPDATE SKIP LOCKED`,
    values: [MAX_TRACES, ...values],
  })
}

/** Deletes traces with their spans. */
export async function deleteTraces(tx: PostgresQueries, traces: readonly OldTrace[]): Promise<void> {
  const numbers = traces.map(({ number }) => number)
  const days = [...new Set(traces.map(({ day }) => day))]
  await tx.change({
    text: 'DELETE FROM span_chunks WHERE trace = ANY ($1::bigint[]) AND day = ANY ($2::integer[])',
    values: [numbers, days],
  })
  await tx.change({ text: 'DELETE FROM trace_subjects WHERE trace = ANY ($1::bigint[])', values: [numbers] })
  await tx.change({
    text: `WITH deleted AS (DELETE FROM traces WHERE number = ANY ($1::bigint[]) RETURNING day, span_count),
      old AS (SELECT day, count(*) AS traces, sum(span_count)::bigint AS spans FROM deleted GROUP BY 1)
      UPDATE trace_days SET traces = trace_days.traces - old.traces, spans = trace_days.spans - old.spans
      FROM old WHERE trace_days.day = old.day`,
    values: [numbers],
  })
}

interface Chunk {
  readonly number: number
  readonly added: number
}

/** Deletes the oldest chunks of a trace, with at most `count` spans, and the trace if none is left. */
async function shorten(tx: PostgresQueries, trace: OldTrace, count: number): Promise<number> {
  const values = [trace.number, trace.day]
  const chunks = await tx.rows<Chunk>({
    text: 'SELECT number, added FROM span_chunks WHERE trace = $1 AND day = $2 ORDER BY number LIMIT $3',
    values: [...values, count],
  })
  const old: number[] = []
  let spans = 0
  for (const { number, added } of chunks) {
    if (spans > 0 && spans + added > count) break
    spans += added
    old.push(number)
  }
  if (spans >= trace.spanCount) {
    await deleteTraces(tx, [trace])
    return trace.spanCount
  }
  await tx.change({
    text: 'DELETE FROM span_chunks WHERE trace = $1 AND day = $2 AND number = ANY ($3::bigint[])',
    values: [...values, old],
  })
  await tx.change({
    text: `WITH shortened AS (UPDATE traces SET span_count = span_count - $3 WHERE number = $1)
      UPDATE trace_days SET spans = spans - $3 WHERE day = $2`,
    values: [...values, spans],
  })
  return spans
}
