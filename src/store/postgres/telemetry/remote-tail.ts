import type { Sql } from '../../sql/sql.ts'
import type { PostgresDatabase } from '../connection/database.ts'
import { PollLoop } from '../dispatch/poll-loop.ts'

/** How far the records of a process have been read. Each process numbers its records in the order of its commits. */
export interface TailPosition {
  readonly ownerEpoch: number
  readonly number: number
}

export interface TelemetryDeps {
  readonly database: PostgresDatabase
  readonly sql: Sql
  readonly ownerEpoch: number
  /** The owner epochs of the processes that are alive. */
  readonly aliveEpochs: () => Promise<readonly number[]>
}

export interface TailQueries {
  /** The last record of each process. */
  readonly newest: string
  /** The next records of each process after its position, in order, and not necessarily all. */
  readonly next: string
}

/** The owner epochs of a table, each found in the index from the one before, and their newest records. */
export function newestOfProcesses(table: string, number: string): string {
  return `WITH RECURSIVE process AS (
      (SELECT owner_epoch FROM ${table} ORDER BY owner_epoch LIMIT 1)
      UNION ALL
      SELECT (SELECT owner_epoch FROM ${table} WHERE owner_epoch > process.owner_epoch ORDER BY owner_epoch LIMIT 1)
      FROM process WHERE process.owner_epoch IS NOT NULL
    ) SELECT owner_epoch AS "ownerEpoch",
      (SELECT max(${number}) FROM ${table} WHERE ${table}.owner_epoch = process.owner_epoch) AS number
    FROM process WHERE owner_epoch IS NOT NULL`
}

/** The next records of a table after a position of each process: its parameters are their owner epochs and numbers. */
export function nextOfProcesses(table: string, number: string, columns: string, limit: number): string {
  return `SELECT record.* FROM unnest(?::bigint[], ?::bigint[]) AS process(epoch, last), LATERAL (
      SELECT owner_epoch AS "ownerEpoch", ${columns} FROM ${table}
      WHERE owner_epoch = process.epoch AND ${number} > process.last ORDER BY ${number} LIMIT ${limit}
    ) AS record`
}

/** Short, as a record should be seen within a second, and its process stores it after a tenth of one. */
const POLL_MS = 500

/**
 * Reads what other processes store, as long as somebody follows. There is a position for each process: the clocks of
 * machines differ, so records may be stored long after newer ones.
 */
export class RemoteTail<Row extends TailPosition> {
  readonly #deps: TelemetryDeps
  readonly #queries: TailQueries

  constructor(deps: TelemetryDeps, queries: TailQueries) {
    this.#deps = deps
    this.#queries = queries
  }

  /** Calls `listener` with new records until the returned function is called. */
  follow(listener: (rows: readonly Row[]) => void): () => void {
    const reader = new TailReader<Row>(this.#deps, this.#queries)
    let stopped = false
    const loop = new PollLoop(async () => {
      try {
        for (let rows = await reader.next(); rows.length > 0 && !stopped; rows = await reader.next())
          listener(rows)
      } catch {
        // the database is away, which its health reports: the next poll continues at the same positions
      }
      return POLL_MS
    })
    loop.start()
    return () => {
      stopped = true
      void loop.stop()
    }
  }
}

class TailReader<Row extends TailPosition> {
  readonly #deps: TelemetryDeps
  readonly #queries: TailQueries
  /** By owner epoch; undefined until the end of the records has been found. */
  #positions: Map<number, number> | undefined
  /** Processes that are read: the last records of one that has died must be read, too. */
  readonly #followed = new Set<number>()

  constructor(deps: TelemetryDeps, queries: TailQueries) {
    this.#deps = deps
    this.#queries = queries
  }

  async next(): Promise<readonly Row[]> {
    const { sql, ownerEpoch: own, aliveEpochs } = this.#deps
    const { newest, next } = this.#queries
    if (!this.#positions) {
      const found = await sql.all<TailPosition>(newest)
      this.#positions = new Map(found.map(({ ownerEpoch, number }) => [ownerEpoch, number]))
    }
    const positions = this.#positions
    for (const epoch of await aliveEpochs()) if (epoch !== own) this.#followed.add(epoch)
    if (this.#followed.size === 0) return []
    const epochs = [...this.#followed]
    const rows = await sql.all<Row>(next, [epochs, epochs.map((epoch) => positions.get(epoch) ?? 0)])
    for (const { ownerEpoch, number } of rows) positions.set(ownerEpoch, number)
    return rows
  }
}
