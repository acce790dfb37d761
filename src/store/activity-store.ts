import type { ExecutionRow } from './execution-store.ts'

/** How much there is and was to do, counted along as it happens: no answer takes longer because there is more of it. */
export interface ActivityStore {
  counts(query: ActivityQuery): Promise<ActivityCounts>
  /** The hours from this one on in which anything happened, oldest first. */
  hours(from: number): Promise<readonly HourCounts[]>
  /** The newest executions of a workflow, newest first. */
  recent(workflowId: string, limit: number): Promise<readonly RecentExecution[]>
}

export type RecentExecution = Pick<ExecutionRow, 'id' | 'status' | 'createdAt' | 'endedAt'>

export interface ActivityQuery {
  /** Failures that ended after this instant count. */
  readonly failedAfter: number
  /** Nothing is counted beyond this. */
  readonly limit: number
}

/** Each at most `most`. */
export interface ActivityCounts {
  readonly running: number
  readonly suspended: number
  /** Suspended, and no child of another one. */
  readonly waiting: number
  /** Failed after the instant, and no child of another one. */
  readonly failed: number
}

export interface HourCounts {
  /** Hours since the epoch. */
  readonly hour: number
  /** Executions that began. */
  readonly started: number
  /** Executions that ended so. */
  readonly completed: number
  readonly errors: number
  readonly cancelled: number
  /** Runs of agents that ended. */
  readonly answers: number
  readonly inputTokens: number
  readonly outputTokens: number
}

export const HOUR_MS = 3_600_000
