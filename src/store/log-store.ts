import type { Page } from './page.ts'

/** Where log records are kept. Ids grow with time: newest first is by id. */
export interface LogStore {
  /** Stores records in one transaction. Their ids are greater than all before. */
  insert(rows: readonly LogRow[]): Promise<void>
  /** Newest first, of the records before `page.before`. */
  list(filter: LogFilter, page: LogPage): Promise<readonly LogRow[]>
  count(): Promise<number>
  /** The greatest id there is; 0 without any. */
  newest(): Promise<number>
  /** Deletes up to `limit` records that retention no longer covers, oldest first; how many were deleted. */
  prune(retention: LogRetention, limit: number): Promise<number>
}

/** Milliseconds of an id's instant are its value divided by this; the rest counts within the millisecond. */
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
  /** This level and above. */
  readonly level?: number | undefined
  readonly traceId?: string | undefined
  readonly spanId?: string | undefined
  readonly executionId?: string | undefined
  readonly workflowId?: string | undefined
  readonly agentId?: string | undefined
  /** Only records that belong to a trace. */
  readonly traced?: boolean | undefined
  /** At this instant or later. */
  readonly since?: number | undefined
  /** Before this instant. */
  readonly until?: number | undefined
  /** Texts that the message or the attributes have, each of them, in any case. */
  readonly words?: readonly string[] | undefined
}

export interface LogPage extends Pick<Page, 'limit'> {
  /** Only records with a smaller id. */
  readonly before?: number | undefined
}

export interface LogRetention {
  /** What was logged before this instant goes. */
  readonly before: number
  /** Of the others this many of the newest stay. */
  readonly keep: number
}
