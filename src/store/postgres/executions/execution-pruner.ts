import { HOUR_MS } from '../../activity-store.ts'
import type { Retention } from '../../retention.ts'
import { HOUR_COLUMNS, KEPT_HOURS } from '../../rows/hour-columns.ts'
import type { Query, PostgresQueries } from '../connection/database.ts'

const HOUR_NAMES = HOUR_COLUMNS.map(([column]) => column)

/** Deletes ended executions that retention does not cover. Running and suspended executions are kept. */
export class PostgresExecutionPruner {
  readonly #database: PostgresQueries

  constructor(database: PostgresQueries) {
    this.#database = database
  }

  async prune({ endedBefore, keep }: Retention, limit: number): Promise<number> {
    await this.#pruneHours(Math.floor(endedBefore / HOUR_MS) - KEPT_HOURS)
    const expired = await this.#database.rows<Deleted>({
      name: 'prune_expired',
      text: deletionOf(
        'SELECT number FROM executions WHERE ended_at < $1 ORDER BY ended_at, number LIMIT $2',
      ),
      values: [endedBefore, limit],
    })
    return expired[0]?.total || this.#pruneSurplus(keep, limit)
  }

  async #pruneSurplus(keep: number, limit: number): Promise<number> {
    const ended = 'SELECT count(*) FROM executions WHERE ended_at IS NOT NULL'
    const oldest = `SELECT number FROM executions WHERE ended_at IS NOT NULL ORDER BY ended_at, number
      LIMIT least(greatest((${ended}) - $1, 0), $2)`
    const query: Query = { name: 'prune_surplus', text: deletionOf(oldest), values: [keep, limit] }
    return (await this.#database.rows<Deleted>(query))[0]?.total ?? 0
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

interface Deleted {
  readonly total: number
}

/** Deletes executions with all that belongs to them, except those that another machine is deleting. */
function deletionOf(numbers: string): string {
  const partsIn = (table: string) => `DELETE FROM ${table} WHERE execution IN (SELECT number FROM deleted)`
  return `WITH deleted AS (
      DELETE FROM executions WHERE number IN (
        SELECT number FROM executions WHERE number IN (${numbers}) FOR UPDATE SKIP LOCKED
      ) RETURNING number
    ), p AS (${partsIn('payloads')}), j AS (${partsIn('journal')}), m AS (${partsIn('milestones')})
    SELECT count(*) AS total FROM deleted`
}

/** An hour late, as clocks differ. */
const MERGE_HOURS = `WITH merged AS (
    DELETE FROM hours WHERE (hour, owner_epoch) IN (
      SELECT hour, owner_epoch FROM hours
      WHERE owner_epoch <> 0 AND hour < floor(extract(epoch FROM now()) / 3600) - 1 FOR UPDATE SKIP LOCKED
    ) RETURNING *
  )
  INSERT INTO hours AS h (hour, owner_epoch, ${HOUR_NAMES.join(', ')})
  SELECT hour, 0, ${HOUR_NAMES.map((name) => `sum(${name})`).join(', ')} FROM merged GROUP BY hour ORDER BY hour
  ON CONFLICT (hour, owner_epoch) DO UPDATE SET ${HOUR_NAMES.map((name) => `${name} = h.${name} + excluded.${name}`).join(', ')}`
