import type { ScheduledJob } from '../../dispatcher.ts'
import type { Queries } from '../connection/database.ts'

/** Stores and drops jobs in the transaction of the change that they belong to. */
export interface JobWriter {
  add(tx: Queries, jobs: readonly ScheduledJob[]): Promise<void>
  /** Keys that have no job are ignored. */
  drop(tx: Queries, keys: readonly string[]): Promise<void>
}
