import type { AgentRunRow } from './agent-store.ts'
import type { ExecutionRow } from './execution-store.ts'

/** Counts of executions and agent runs. They are maintained with each write, so reading them takes constant time. */
export interface ActivityStore {
  counts(query: ActivityQuery): Promise<ActivityCounts>
  /** The counts per hour since hour `from`, oldest first. Hours without activity are left out. */
  hours(from: number): Promise<readonly HourCounts[]>
  /**
   * What has ended since `after`, by slices of ACTIVITY_SLICE_MS, oldest first. Of executions and of agent runs, the
   * newest `limit` are counted. Slices without activity are left out.
   */
  slices(query: SliceQuery): Promise<readonly SliceCounts[]>
  /** The newest executions of a workflow, newest first. */
  recent(workflowId: string, limit: number): Promise<readonly RecentExecution[]>
  /** The newest runs of an agent, newest first. */
  recentAgentRuns(agentId: string, limit: number): Promise<readonly RecentAgentRun[]>
}

export interface SliceQuery {
  readonly after: number
  readonly limit: number
}

export interface SliceCounts extends Pick<
  HourCounts,
  'completed' | 'errors' | 'cancelled' | 'answers' | 'inputTokens' | 'outputTokens'
> {
  /** Slices since the epoch. */
  readonly slice: number
}

export type RecentAgentRun = Pick<AgentRunRow, 'id' | 'status' | 'startedAt' | 'endedAt' | 'traceId'>

export type RecentExecution = Pick<ExecutionRow, 'id' | 'status' | 'createdAt' | 'endedAt'>

export interface ActivityQuery {
  /** Failures are counted when they ended after this time. */
  readonly failedAfter: number
  /** Maximum of each count. */
  readonly limit: number
}

/** Each at most `limit`. */
export interface ActivityCounts {
  readonly running: number
  readonly suspended: number
  /** Suspended executions without a parent that wait for somebody, not for a time or an event. */
  readonly waiting: number
  /** Failed executions without a parent. */
  readonly failed: number
}

export interface HourCounts {
  /** Hours since the epoch. */
  readonly hour: number
  /** Executions that were started. */
  readonly started: number
  /** Executions that ended with each status. */
  readonly completed: number
  readonly errors: number
  readonly cancelled: number
  /** Agent runs that ended. */
  readonly answers: number
  /** Tokens of these runs; those of sub-agents are in the run that called them. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** What these runs cost in nano-dollars; null when that of one is unknown. */
  readonly costNano: number | null
}

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
