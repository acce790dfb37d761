import type { ToolApproval } from '../contract/agent-event.ts'
import { AppError } from '../lib/errors.ts'

/** A call of a tool that needs approval. Calls of an agent have all members. */
export type CallToApprove = Pick<ToolApproval, 'toolName' | 'input'> & Partial<ToolApproval>

/**
 * Tool calls need an approval that the caller can't wait for: `agent.generate()` without `resumable: true`, or
 * `tool.run()` without `approve: true`. A step that throws it is not retried.
 *
 * @example
 * try {
 *   return (await clerk.generate('Refund order 7')).text
 * } catch (error) {
 *   if (error instanceof ApprovalRequiredError) return `Needs approval: ${error.calls[0]?.toolName}`
 *   throw error
 * }
 */
export class ApprovalRequiredError extends AppError {
  override readonly name = 'ApprovalRequiredError'
  /** The calls that need approval. */
  readonly calls: readonly CallToApprove[]
  /**
   * The run of the agent. It waits for `POST /agents/:id/runs/:runId/approvals`, unless a step or a tool asked: then it has
   * ended. `undefined` for a tool.
   */
  readonly runId: string | undefined

  constructor(message: string, calls: readonly CallToApprove[], runId?: string) {
    super('conflict', message)
    this.calls = calls
    this.runId = runId
  }
}

/**
 * A guardrail blocked the request or the answer of an agent, so that there is no object for the schema of the call. A step
 * that throws it is not retried.
 *
 * @example
 * const { object } = await clerk.generate(mail, { schema }).catch((error: unknown) => {
 *   if (error instanceof AnswerBlockedError) return { object: undefined }
 *   throw error
 * })
 */
export class AnswerBlockedError extends AppError {
  override readonly name = 'AnswerBlockedError'
  /** The reason of the guardrail. */
  readonly reason: string
  /** Id of the run. */
  readonly runId: string

  constructor({
    agentId,
    reason,
    runId,
  }: {
    /** Id of the agent. */
    agentId: string
    /** Reason that the guardrail returned. */
    reason: string
    /** Id of the run. */
    runId: string
  }) {
    super('conflict', `A guardrail of agent "${agentId}" blocked the request: ${reason}`)
    this.reason = reason
    this.runId = runId
  }
}
