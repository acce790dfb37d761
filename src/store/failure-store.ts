import type { ExecutionRow } from './execution-store.ts'
import type { Page } from './page.ts'

/** Groups of failed executions; see `failureGroup` in the engine. They exist as long as their executions do. */
export interface FailureStore {
  /** The groups whose newest failure is the newest, each with that failure. */
  list(filter: FailureFilter, page: Page): Promise<readonly FailureGroup[]>
  count(filter: FailureFilter): Promise<number>
  /** The newest open groups that have failed after this time, newest first. */
  openSince(time: number, limit: number): Promise<readonly OpenFailure[]>
  /** How often these groups failed in each hour since hour `from`. Hours without failures are left out. */
  hours(ids: readonly string[], from: number): Promise<readonly FailureHour[]>
}

export interface FailureFilter {
  readonly workflowId?: string | undefined
  /** Those of which no execution has completed since the newest failure, or the others. */
  readonly open?: boolean | undefined
}

export interface FailureGroup {
  readonly id: string
  readonly count: number
  readonly firstAt: number
  readonly lastAt: number
  /** When a replay of one of its executions completed last; null: never. */
  readonly completedAt: number | null
  /** The newest failed execution. */
  readonly last: Pick<ExecutionRow, 'id' | 'workflowId' | 'workflowName' | 'error'>
}

export type OpenFailure = Pick<FailureGroup, 'id' | 'lastAt'>

export interface FailureHour {
  readonly id: string
  /** Hours since the epoch. */
  readonly hour: number
  readonly count: number
}
