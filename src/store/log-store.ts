import type { Page } from './page.ts'

/** Storage of log records. Ids increase with time, so the order by id is the order by time. */
export interface LogStore {
  /**
   * Stores records in one transaction. Their ids must be greater than all that this process has stored. Where several
   * processes write, an id that is taken is replaced by the next free one.
   */
  insert(rows: readonly LogRow[]): Promise<void>
  /** Newest first. */
  list(filter: LogFilter, page: LogPage): Promise<readonly LogRow[]>
  count(): Promise<number>
  /** The greatest id that the ids of further records must exceed; 0 if there is none. */
  newest(): Promise<number>
  /**
   * Deletes up to `limit` records that retention does not cover, oldest first, or at once all of a day. Returns the
   * number of deleted ones.
   */
  prune(retention: LogRetention, limit: number): Promise<number>
  /** Deletes the records of executions and traces. Returns the number of deleted ones. */
  delete(owners: LogOwners): Promise<number>
  /**
   * Calls `listener` with the records that other processes store, about half a second later, until the returned
   * function is called. Their ids may be smaller than those of earlier ones.
   */
  follow(listener: (rows: readonly LogRow[]) => void): () => void
}

/** Ids per millisecond: an id is the time in milliseconds multiplied by this, plus a counter. */
export const IDS_PER_MS = 1024

export interface LogRow {
  readonly id: number
  /** Milliseconds since the epoch. */
  readonly timestamp: number
  /** 10 trace, 20 debug, 30 info, 40 warn, 50 error, 60 fatal. */
  readonly level: number
  readonly message: string
  /** JSON text of an object. */
  readonly attributes: string
  readonly traceId: string | null
  readonly spanId: string | null
  readonly executionId: string | null
  readonly workflowId: string | null
  readonly agentId: string | null
}

export interface LogFilter {
  /** Minimum level. */
  readonly level?: number | undefined
  readonly traceId?: string | undefined
  readonly spanId?: string | undefined
  readonly executionId?: string | undefined
  readonly workflowId?: string | undefined
  readonly agentId?: string | undefined
  /** Only records that belong to a trace. */
  readonly traced?: boolean | undefined
  /** Start time, inclusive. */
  readonly since?: number | undefined
  /** End time, exclusive. */
  readonly until?: number | undefined
  /** Words in the message or the attributes, in any case. Each must occur. */
  readonly words?: readonly string[] | undefined
}

export interface LogPage extends Pick<Page, 'limit'> {
  /** Only records with a smaller id. */
  readonly before?: number | undefined
}

export interface LogOwners {
  readonly executionIds: readonly string[]
  readonly traceIds: readonly string[]
}

export interface LogRetention {
  /** Records before this time are deleted. */
  readonly before: number
  /** Maximum number of records that are kept, the newest ones. */
  readonly keep: number
}
