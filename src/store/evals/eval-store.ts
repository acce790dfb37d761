import type { EvalRunStatus } from '../../contract/endpoints/project/evals.ts'
import type { Page } from '../page.ts'
import type { Retention } from '../retention.ts'

/** Storage of the runs of evals. A run belongs to the process that starts it, and changes only while it is running. */
export interface EvalStore {
  /** Stores a run that begins. Returns `false` if another run of its eval is running. */
  insert(run: NewEvalRun): Promise<boolean>
  /** Stores what the run consists of. Returns `false` if it is not running. */
  plan(id: string, plan: EvalPlan): Promise<boolean>
  /** Stores a case that has ended; one of a position that has ended is ignored. Returns `false` if the run is not running. */
  addCase(id: string, ended: EndedEvalCase): Promise<boolean>
  /** Returns `false` if it is not running. */
  end(id: string, end: EvalRunEnd): Promise<boolean>
  get(id: string): Promise<EvalRunRow | undefined>
  /** Newest first. */
  list(evalId: string, page: Page): Promise<readonly EvalRunRow[]>
  count(evalId: string): Promise<number>
  /** The newest run of each eval, by the ids of the evals. */
  newest(): Promise<readonly EvalRunRow[]>
  /** The runs that have not ended. */
  running(): Promise<readonly EvalRunRow[]>
  /** The cases of a run in the order of their ends, as JSON text. */
  cases(id: string, page: Page): Promise<readonly string[]>
  /** Deletes up to `limit` ended runs that retention does not cover, with their cases. Returns the number of deleted runs. */
  prune(retention: Retention, limit: number): Promise<number>
}

export interface NewEvalRun {
  readonly id: string
  readonly evalId: string
  readonly ownerEpoch: number
  readonly startedAt: number
  /** The git commit, if known. */
  readonly commit: string | null
}

export interface EvalPlan {
  /** JSON of the target of all cases; null when they have several. */
  readonly target: string | null
  readonly threshold: number
  readonly cases: number
}

export interface EndedEvalCase {
  /** Place among the cases of the run, from 0. */
  readonly position: number
  readonly score: number
  /** Null when the price of a model is unknown. */
  readonly costNano: number | null
  /** JSON text of an `EvalCase`. */
  readonly result: string
}

export interface EvalRunEnd {
  readonly status: Exclude<EvalRunStatus, 'running'>
  readonly endedAt: number
  /** JSON of a `LoadFailure`. */
  readonly error: string | null
}

export interface EvalRunRow extends NewEvalRun {
  readonly status: EvalRunStatus
  readonly endedAt: number | null
  readonly target: string | null
  /** Null until the run has a plan. */
  readonly threshold: number | null
  readonly cases: number | null
  readonly endedCases: number
  /** Ended cases with a score below 1. */
  readonly failedCases: number
  /** Of the ended cases. */
  readonly scoreSum: number
  readonly costNano: number | null
  readonly error: string | null
}
