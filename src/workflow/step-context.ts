import type { User } from '../contract/auth.ts'
import type { CallContext } from '../step/step-calls.ts'
import type { IfJson, JsonResult } from '../lib/json/json-result.ts'

/**
 * Returns the recorded result of an earlier step: typed by the step itself, or of the declared type by its id. Throws when
 * the workflow has no step with the id.
 */
export interface GetStepResult {
  <Result>(step: StepWithResult<Result>): Result | undefined
  <Result = unknown>(stepId: string): Result | undefined
}

interface StepWithResult<Result> {
  /** Id of the step. */
  readonly id: string
  readonly '~types'?: (input: never, data: never, results: never) => { readonly result: Result }
}

/** The argument of a step's functions. All properties can be destructured. */
export interface StepContext<
  Data = unknown,
  Input = unknown,
  Suspend = unknown,
  Resume = unknown,
  Results = unknown,
> extends CallContext {
  /** The step's input: the previous step's result. Each attempt receives its own copy. */
  readonly data: Data
  /** The workflow's input. */
  readonly input: Input
  /** `options.context` of the call that started the execution. */
  readonly context: Readonly<Record<string, unknown>>
  /** Id of the user; missing when there is none. */
  readonly userId: string | undefined
  /** The authenticated user who started the execution; `undefined` without an auth provider. */
  readonly user: User | undefined
  /** The authenticated user who last resumed the execution; `undefined` before, and without an auth provider. */
  readonly resumedBy: User | undefined
  /** Id of the conversation; missing outside of one. */
  readonly conversationId: string | undefined
  /** Id of the execution. */
  readonly executionId: string
  /** Id of the step. */
  readonly stepId: string
  /** The index of the item, or the round of the loop, in which the step runs, from 0; 0 elsewhere. */
  readonly index: number
  /** The data of the resume call; `undefined` before the step was suspended and resumed. */
  readonly resumeData: Resume | undefined
  /** Whether the step continues because its `suspendTimeout` was over; it has no `resumeData` then. */
  readonly timedOut: boolean
  /** Suspends the execution until it is resumed; the step then runs again with `resumeData`. Never returns. */
  readonly suspend: <Passed extends JsonResult<Passed>>(
    reason?: string,
    data?: unknown extends Suspend ? Passed : IfJson<Suspend, Suspend>,
  ) => never
  /**
   * The recorded results of the steps before, by their ids. A step that may not have run, such as one within `andWhen`, may
   * be `undefined`.
   */
  readonly results: Results
  /** The recorded result of an earlier step of this execution; `undefined` if it has none. */
  readonly getStepResult: GetStepResult
}

/** The argument of functions that do not declare what they suspend with. */
export type ContextOf<Input, Data, Results> = StepContext<Data, Input, unknown, unknown, Results>
