import type { ExecutionResult } from '../../contract/event.ts'

/** Options of `workflow.start()` and `workflow.execute()`. */
export interface StartOptions {
  /** Id of the execution. If one has it already, the call fails with the code `conflict`. Default: a new id. */
  readonly executionId?: string | undefined
  /**
   * Id of the user to whom the execution belongs; `userId` of the step context. Default: none, also when the caller has
   * a user.
   */
  readonly userId?: string | undefined
  /** `conversationId` of the step context. */
  readonly conversationId?: string | undefined
  /** Replaces the `priority` of a workflow with limits. */
  readonly priority?: number | undefined
  /** `context` of the step context. */
  readonly context?: Readonly<Record<string, unknown>> | undefined
}

/** The result of an execution that completed, failed, was cancelled or is suspended; `result` is null unless it completed. */
export type WorkflowResult<Result> = Omit<ExecutionResult, 'result'> & { readonly result: Result | null }

/** An execution that code has started. It is stored, and continues whether or not somebody waits for it. */
export interface StartedWorkflow<Result> {
  readonly executionId: string
  /** Waits until the execution completes, fails, suspends or is cancelled. Rejects when the server stops before. */
  result(): Promise<WorkflowResult<Result>>
}
