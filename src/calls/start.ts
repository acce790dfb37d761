import type { ExecutionResult } from '../contract/event.ts'
import type { Metadata } from '../contract/metadata.ts'

/** Options of `workflow.start()` and `workflow.execute()`. */
export interface StartOptions {
  /**
   * Id of the execution. Ids that begin with `code:` can't be taken by callers of the API. If an execution has it already,
   * `ifExists` decides. Default: a new id.
   */
  readonly executionId?: string | undefined
  /**
   * What happens when an execution has the id: `fail` throws an error with the code `conflict`; `same` returns that
   * execution if code started it with the same workflow, input and `userId`, and throws `conflict` otherwise. Default `fail`.
   */
  readonly ifExists?: 'fail' | 'same' | undefined
  /**
   * Id of the user to whom the execution belongs; `userId` of the step context. Default: none, also when the caller has
   * a user.
   */
  readonly userId?: string | undefined
  /** `conversationId` of the step context. */
  readonly conversationId?: string | undefined
  /** Replaces the `priority` of a workflow with limits. */
  readonly priority?: number | undefined
  /** What the execution is found by: texts, numbers and booleans, at most 20. `metadata` of its record. */
  readonly metadata?: Metadata | undefined
  /** `context` of the step context. */
  readonly context?: Readonly<Record<string, unknown>> | undefined
}

/** The result of an execution that completed, failed, was cancelled or is suspended; `result` is null unless it completed. */
export type WorkflowResult<Result> = Omit<ExecutionResult, 'result'> & {
  /** Output of the workflow. */
  readonly result: Result | null
}

/** An execution that code has started. It is stored, and continues whether or not somebody waits for it. */
export interface StartedWorkflow<Result> {
  /** Id of the execution. */
  readonly executionId: string
  /** Waits until the execution completes, fails, suspends or is cancelled. Rejects when the server stops before. */
  result(): Promise<WorkflowResult<Result>>
}
