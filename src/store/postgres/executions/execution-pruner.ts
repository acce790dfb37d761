import { HOUR_MS } from '../../activity-store.ts'
import type { Retention } from '../../retention.ts'
import { HOUR_COLUMNS, KEPT_HOURS } from '../../rows/hour-columns.ts'
import { IS_LISTED } from '../../rows/executions/execution-columns.ts'
import { sumOf } from '../../sql/activity.ts'
import type { PostgresQueries } from '../connection/database.ts'
import { pruneOldest } from '../prune-oldest.ts'
import { pruneStatistics } from '../usage/prune-statistics.ts'

const ENDED = {
  table: 'executions',
  age: 'ended_at',
  condition: `ended_at IS NOT NULL AND ${IS_LISTED}`,
} as const

const HOUR_NAMES = HOUR_COLUMNS.map(([column]) => column)

/** Deletes ended executions that retention does not cover. Running and suspended executions are kept. */
export class PostgresExecutionPruner {
  readonly #database: PostgresQueries

  constructor(database: PostgresQueries) {
    this.#database = database
  }

  async prune(retention: Retention, limit: number): Promise<number> {
    const before = Math.floor(retention.endedBefore / HOUR_MS) - KEPT_HOURS
    await this.#pruneHours(before)
    await pruneStatistics(this.#database, before * HOUR_MS)
    return pruneOldest(this.#database, ENDED, { ...retention, limit }, deletionOf)
  }

  /** Deletes the counts of hours that are too old, and merges those of the machines where no machine changes them any more. */
  async #pruneHours(before: number): Promise<void> {
    await this.#database.change({
      name: 'prune_hours',
      text: 'DELETE FROM hours WHERE hour < $1',
      values: [before],
    })
    await this.#database.change({ name: 'merge_hours', text: MERGE_HOURS })
  }
}

/** Deletes executions with all that belongs to them. */
function deletionOf(numbers: string): string {
  const partsIn = (table: string) => `DELETE FROM ${table} WHERE execution IN (SELECT number FROM deleted)`
  return `WITH deleted AS (DELETE FROM executions WHERE number IN (${numbers}) RETURNING number),
      p AS (${partsIn('payloads')}), j AS (${partsIn('journal')}), m AS (${partsIn('milestones')}),
      u AS (${partsIn('execution_usage')}), s AS (${partsIn('step_models')})
    SELECT FROM deleted`
}

/** An hour late, as clocks differ. */
const MERGE_HOURS = `WITH merged AS (
    DELETE FROM hours WHERE (hour, owner_epoch) IN (
      SELECT hour, owner_epoch FROM hours
      WHERE owner_epoch <> 0 AND hour < floor(extract(epoch FROM now()) / 3600) - 1 FOR UPDATE SKIP LOCKED
    ) RETURNING *
  )
  INSERT INTO hours AS h (hour, owner_epoch, ${HOUR_NAMES.join(', ')})
  SELECT hour, 0, ${HOUR_NAMES.map((name) => sumOf(name)).join(', ')} FROM merged GROUP BY hour ORDER BY hour
  ON CONFLICT (hour, owner_epoch) DO UPDATE SET ${HOUR_NAMES.map((name) => `${name} = h.${name} + excluded.${name}`).join(', ')}`
