import { DAY_MS } from '../../activity-store.ts'
import type { LogOwners, LogRetention } from '../../log-store.ts'
import { IDS_PER_MS } from '../../log-store.ts'
import type { PostgresDatabase, PostgresQueries } from '../connection/database.ts'
import { escapeNul } from '../escape-nul.ts'
import { isInUse } from '../telemetry/day-partitions.ts'
import type { DayPartitions } from '../telemetry/day-partitions.ts'
import { isOnlyPruner } from '../telemetry/only-pruner.ts'
import { IDS_PER_DAY } from './log-writer.ts'

interface Day {
  readonly day: number
  readonly records: number
}

/** Deletes log records: whole days at once, and single records of the oldest day. */
export class PostgresLogPruner {
  readonly #database: PostgresDatabase
  readonly #partitions: DayPartitions

  constructor(database: PostgresDatabase, partitions: DayPartitions) {
    this.#database = database
    this.#partitions = partitions
  }

  async prune(retention: LogRetention, limit: number): Promise<number> {
    try {
      return await this.#database.transaction((tx) => this.#prune(tx, retention, limit))
    } catch (error) {
      if (isInUse(error)) return 0
      throw error
    }
  }

  async #prune(tx: PostgresQueries, { before, keep }: LogRetention, limit: number): Promise<number> {
    if (!(await isOnlyPruner(tx, 'logs'))) return 0
    const days = await tx.rows<Day>({ text: 'SELECT day, records FROM log_days ORDER BY day' })
    const [oldest] = days
    if (!oldest) return 0
    const surplus = days.reduce((sum, { records }) => sum + records, 0) - keep
    const isOver = (oldest.day + 1) * DAY_MS <= before || (surplus > 0 && surplus >= oldest.records)
    if (isOver) {
      await this.#partitions.drop(tx, oldest.day)
      // an empty day is no reason to stop
      return oldest.records || this.#prune(tx, { before, keep }, limit)
    }
    const expired = await this.#delete(tx, 'WHERE id < $2', [limit, before * IDS_PER_MS])
    if (expired > 0 || surplus <= 0) return expired
    return this.#delete(tx, '', [Math.min(surplus, limit)])
  }

  /** Deletes the records of executions and traces. */
  deleteOf({ executionIds, traceIds }: LogOwners): Promise<number> {
    const owned = 'execution_id = ANY ($1) OR trace_id = ANY ($2)'
    return deleteCounted(this.#database, owned, [executionIds.map((id) => escapeNul(id)), traceIds])
  }

  /** Deletes the oldest records. The first value is their maximum number. */
  #delete(tx: PostgresQueries, condition: string, values: readonly unknown[]): Promise<number> {
    return deleteCounted(tx, `id IN (SELECT id FROM logs ${condition} ORDER BY id LIMIT $1)`, values)
  }
}

/** Deletes records, and counts them in the days of their partitions. */
async function deleteCounted(
  database: PostgresQueries,
  condition: string,
  values: readonly unknown[],
): Promise<number> {
  const rows = await database.rows<{ deleted: number }>({
    text: `WITH deleted AS (
          DELETE FROM logs WHERE ${condition} RETURNING id
        ), old AS (SELECT id / ${IDS_PER_DAY} AS day, count(*) AS records FROM deleted GROUP BY 1
        ), counted AS (
          UPDATE log_days SET records = log_days.records - old.records FROM old WHERE log_days.day = old.day
        ) SELECT records AS deleted FROM old`,
    values,
  })
  return rows.reduce((sum, { deleted }) => sum + deleted, 0)
}
