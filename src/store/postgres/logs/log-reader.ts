import type { LogRow } from '../../log-store.ts'
import { LOG_COLUMNS } from '../../rows/log-columns.ts'
import type { Sql } from '../../sql/sql.ts'
import type { TailPosition } from '../telemetry/remote-tail.ts'

const SELECTED = LOG_COLUMNS.map(([column, key]) => `${column} AS "${key}"`).join(', ')

/** Records of one process that are read at a time. */
const TAIL_PAGE = 500

const TAIL = `SELECT record.* FROM unnest($1::bigint[], $2::bigint[]) AS process(epoch, last), LATERAL (
    SELECT owner_epoch AS "ownerEpoch", id AS number, ${SELECTED} FROM logs
    WHERE owner_epoch = process.epoch AND id > process.last ORDER BY id LIMIT ${TAIL_PAGE}
  ) AS record ORDER BY record.id`

/** The owner epochs, each found in the index from the one before, and their newest records. */
const NEWEST = `WITH RECURSIVE process AS (
    (SELECT owner_epoch FROM logs ORDER BY owner_epoch LIMIT 1)
    UNION ALL SELECT (SELECT owner_epoch FROM logs WHERE owner_epoch > process.owner_epoch ORDER BY owner_epoch LIMIT 1)
    FROM process WHERE process.owner_epoch IS NOT NULL
  ) SELECT owner_epoch AS "ownerEpoch",
    (SELECT max(id) FROM logs WHERE logs.owner_epoch = process.owner_epoch) AS number
  FROM process WHERE owner_epoch IS NOT NULL`

const COUNT = 'SELECT CAST(coalesce(sum(records), 0) AS bigint) AS total FROM log_days'
const NEWEST_OF_OWNER = 'SELECT max(id) AS id FROM logs WHERE owner_epoch = ?'

/** A record and its place in the order of its process. */
export type TailedLog = LogRow & TailPosition

/** How many log records there are, and those of other processes. */
export class PostgresLogReader {
  readonly #sql: Sql
  readonly #ownerEpoch: number

  constructor(sql: Sql, ownerEpoch: number) {
    this.#sql = sql
    this.#ownerEpoch = ownerEpoch
  }

  async count(): Promise<number> {
    return (await this.#sql.first<{ total: number }>(COUNT))?.total ?? 0
  }

  async newest(): Promise<number> {
    return (await this.#sql.first<{ id: number | null }>(NEWEST_OF_OWNER, [this.#ownerEpoch]))?.id ?? 0
  }

  newestOfAll(): Promise<readonly TailPosition[]> {
    return this.#sql.all(NEWEST)
  }

  after(positions: readonly TailPosition[]): Promise<readonly TailedLog[]> {
    return this.#sql.all(TAIL, [
      positions.map(({ ownerEpoch }) => ownerEpoch),
      positions.map(({ number }) => number),
    ])
  }
}
