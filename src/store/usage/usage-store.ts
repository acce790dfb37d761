import type { StepPlace } from '../../contract/usage/step-place.ts'

/** How long steps took, and what models cost. The sums are maintained with each write. */
export interface UsageStore {
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
  /** The workflow and the pattern of the step's path; empty for runs of callers. */
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
  /** The step for which the run answers; null for the run of a caller. */
  readonly place: StepPlace | null
}
