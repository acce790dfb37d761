import { DAY_MS } from '../../../lib/clock.ts'
import type { LogRow } from '../../log-store.ts'
import { IDS_PER_MS } from '../../log-store.ts'
import { LOG_COLUMNS } from '../../rows/log-columns.ts'
import type { PostgresDatabase, PostgresQueries } from '../connection/database.ts'
import { escapeNul } from '../escape-nul.ts'
import { MAX_ID_CHARACTERS } from '../../sql/dialect.ts'
import type { DayPartitions } from '../telemetry/day-partitions.ts'
import { DEADLOCK, NOT_UNIQUE, NO_PARTITION, retried, sqlState } from '../telemetry/retried.ts'

export const IDS_PER_DAY = DAY_MS * IDS_PER_MS

const TYPES: Partial<Record<keyof LogRow, string>> = {
  id: 'bigint',
  timestamp: 'bigint',
  level: 'integer',
}
const NAMES = LOG_COLUMNS.map(([column]) => column).join(', ')
const ARRAYS = LOG_COLUMNS.map(([, key], index) => `$${index + 2}::${TYPES[key] ?? 'text'}[]`).join(', ')

/** Inserts the records and counts them, in one statement. */
function insertion(onConflict: string): string {
  return `WITH stored AS (
      INSERT INTO logs (owner_epoch, ${NAMES})
      SELECT $1::bigint, ${NAMES} FROM unnest(${ARRAYS}) AS given(${NAMES}) ${onConflict} RETURNING id
    ), counted AS (
      UPDATE log_days SET records = log_days.records + new.records
      FROM (SELECT id / ${IDS_PER_DAY} AS day, count(*) AS records FROM stored GROUP BY 1) AS new
      WHERE log_days.day = new.day
    ) SELECT id FROM stored`
}

const INSERT = insertion('')
const INSERT_NEW = insertion('ON CONFLICT DO NOTHING')

/** Writes of log records. */
export class PostgresLogWriter {
  readonly #database: PostgresDatabase
  readonly #ownerEpoch: number
  readonly #partitions: DayPartitions

  constructor(database: PostgresDatabase, ownerEpoch: number, partitions: DayPartitions) {
    this.#database = database
    this.#ownerEpoch = ownerEpoch
    this.#partitions = partitions
  }

  async insert(given: readonly LogRow[]): Promise<void> {
    if (given.length === 0) return
    const rows = given.map((row) => storable(row))
    const causes = { [NO_PARTITION]: () => this.#partitions.forget(), [DEADLOCK]: () => undefined }
    await retried(causes, async () => {
      await this.#partitions.ensure(rows.map(({ id }) => Math.floor(id / IDS_PER_DAY)))
      try {
        await this.#store(this.#database, 'insert-logs', INSERT, rows)
      } catch (error) {
        if (sqlState(error) !== NOT_UNIQUE) throw error
        await this.#storeWithFreeIds(rows)
      }
    })
  }

  /**
   * Another machine has records of the same milliseconds: the next free ids are taken. All become visible at once, so
   * that the ids of a process are in the order of its commits.
   */
  async #storeWithFreeIds(rows: readonly LogRow[]): Promise<void> {
    await this.#database.transaction(async (tx) => {
      for (let left = rows; left.length > 0;) {
        const stored = await this.#store(tx, 'insert-new-logs', INSERT_NEW, left)
        left = left.filter(({ id }) => !stored.has(id)).map((row) => ({ ...row, id: row.id + 1 }))
      }
    })
  }

  /** Returns the ids of the stored records. */
  async #store(
    database: PostgresQueries,
    name: string,
    text: string,
    rows: readonly LogRow[],
  ): Promise<ReadonlySet<number>> {
    const columns = LOG_COLUMNS.map(([, key]) => rows.map((row) => row[key]))
    const stored = await database.rows<{ id: number }>({ name, text, values: [this.#ownerEpoch, ...columns] })
    return new Set(stored.map(({ id }) => id))
  }
}

/** A record without what Postgres would refuse. */
function storable({ id, timestamp, level, message, attributes, ...origin }: LogRow): LogRow {
  const { traceId, spanId, executionId, workflowId, agentId } = origin
  return {
    id,
    timestamp: Math.trunc(timestamp),
    level: Math.trunc(level),
    message: escapeNul(message),
    attributes,
    traceId: logId(traceId),
    spanId: logId(spanId),
    executionId: logId(executionId),
    workflowId: logId(workflowId),
    agentId: logId(agentId),
  }
}

/** A longer id is not kept: none of ours is. */
function logId(id: string | null): string | null {
  return id === null || id.length > MAX_ID_CHARACTERS ? null : escapeNul(id)
}
