import type { StepPlace } from '../contract/usage/step-place.ts'
import type { AgentRunStatus } from '../contract/endpoints/agent.ts'
import type { ExecutionStatus } from '../contract/status.ts'

/**
 * What ran, what models cost, and how long steps took. The sums are maintained with each write, so reading them takes
 * constant time.
 */
export interface UsageStore {
  counts(query: UsageQuery): Promise<UsageCounts>
  /** The counts per hour since hour `from`, oldest first. Hours in which nothing ran are left out. */
  hours(from: number): Promise<readonly HourCounts[]>
  /**
   * What has ended since `after`, by slices of USAGE_SLICE_MS, oldest first. Of executions and of agent runs, the
   * newest `limit` are counted. Slices in which nothing ended are left out.
   */
  slices(query: SliceQuery): Promise<readonly SliceCounts[]>
  /** The newest executions of a workflow, newest first. */
  recent(workflowId: string, limit: number): Promise<readonly RecentExecution[]>
  /** The newest runs of an agent without trials, newest first. */
  recentAgentRuns(agentId: string, limit: number): Promise<readonly RecentAgentRun[]>
  /** How often the steps of a workflow have ended on these days since the epoch, by their duration. */
  stepTimes(workflowId: string, days: readonly number[]): Promise<readonly StepTimes[]>
  /** The model calls in a range, by workflow, step, agent and model. */
  calls(filter: CallFilter): Promise<readonly PlacedCalls[]>
  /** The model calls in a range by time, oldest first. Periods without calls are left out. */
  callsByTime(filter: CallFilter, periodHours: number): Promise<readonly PeriodCalls[]>
  /** The model calls of an execution, by step, agent and model. */
  callsOfExecution(executionId: string): Promise<readonly Omit<PlacedCalls, 'workflowId'>[]>
}

/** The end of a step, as it is counted. */
export interface StepTime {
  readonly workflowId: string
  /** The pattern of the step's path. */
  readonly step: string
  readonly endedAt: number
  /** The bucket of its duration; `UNTIMED` if it has waited, or was started by an earlier run. */
  readonly bucket: number
  readonly failed: boolean
}

/** Of steps that are counted without a duration. */
export const UNTIMED = -1

/** How many runs of a step have ended with a duration. */
export interface StepTimes {
  readonly step: string
  readonly bucket: number
  readonly completed: number
  readonly errors: number
}

/** The sum of model calls. */
export interface CallSums {
  readonly calls: number
  /** Those whose cost is unknown. */
  readonly unpriced: number
  /** Those that were reported. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** The cost of the others in nano-dollars. */
  readonly costNano: number
}

export interface PlacedCalls extends CallSums {
  /** The workflow and the pattern of the step's path; empty for runs of callers. Those of trials have `TRIAL_PLACE`. */
  readonly workflowId: string
  readonly step: string
  readonly agentId: string
  /** `provider/model`. */
  readonly model: string
}

export interface PeriodCalls extends CallSums {
  /** Hours since the epoch at which the period starts. */
  readonly hour: number
}

/** Hours since the epoch, both inclusive. */
export interface CallFilter {
  readonly fromHour: number
  readonly toHour: number
  readonly workflowId?: string | undefined
  readonly agentId?: string | undefined
}

/** The calls of one model by an agent run, or by a part of it. Those of its sub-agents count with their own runs. */
export interface ModelCalls extends CallSums {
  readonly agentId: string
  readonly model: string
  /** The step for which the run answers, or `TRIAL_PLACE`; null for the run of another caller. */
  readonly place: StepPlace | null
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

export interface RecentAgentRun {
  readonly id: string
  readonly status: AgentRunStatus
  readonly startedAt: number
  readonly endedAt: number | null
  readonly traceId: string
}

export interface RecentExecution {
  readonly id: string
  readonly status: ExecutionStatus
  readonly createdAt: number
  readonly endedAt: number | null
}

export interface UsageQuery {
  /** Failures are counted when they ended after this time. */
  readonly failedAfter: number
  /** Maximum of each count. */
  readonly limit: number
}

/** Each at most `limit`. */
export interface UsageCounts {
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
