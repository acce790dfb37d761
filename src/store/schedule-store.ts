import type { JobChange } from './dispatcher.ts'

/** The state of schedules. */
export interface ScheduleStore {
  get(id: string): Promise<ScheduleRow | undefined>
  /** In the order of their ids. */
  list(): Promise<readonly ScheduleRow[]>
  /**
   * Stores a row and the jobs in one transaction, if the stored row has the revision before (0: there is none). Resolves with
   * whether it was stored.
   */
  save(row: ScheduleRow, jobs?: JobChange): Promise<boolean>
  /** Deletes a row and changes the jobs in one transaction. */
  delete(id: string, jobs: JobChange): Promise<void>
}

/** Times are milliseconds since the epoch. */
export interface ScheduleRow {
  readonly id: string
  /** Increases by one with each change. */
  readonly revision: number
  /** Names the instants that `nextAt` is one of. */
  readonly rule: string
  readonly paused: boolean
  /** The instant that has a job; null while it is paused. */
  readonly nextAt: number | null
  /** Instants whose executions start one after the other, in order. */
  readonly waiting: readonly number[]
  /** The newest instant whose execution was started. */
  readonly tickAt: number | null
  /** The execution that was started last, at an instant or by a request. */
  readonly lastExecutionId: string | null
  /** The instant, or the time of the request. */
  readonly lastAt: number | null
}
