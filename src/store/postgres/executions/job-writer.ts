import type { ScheduledJob } from '../../dispatcher.ts'
import type { PostgresQueries } from '../connection/database.ts'

/** Stores and drops jobs in the transaction of the change that they belong to. */
export interface JobWriter {
  /** Milliseconds that the clock of the database is ahead of this machine's. */
  readonly clockOffset: number
  add(tx: PostgresQueries, jobs: readonly ScheduledJob[]): Promise<void>
  /** Keys that have no job are ignored. */
  drop(tx: PostgresQueries, keys: readonly string[]): Promise<void>
}
