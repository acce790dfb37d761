import type { Logger } from 'pino'
import type { AskAgent } from '../agent/ask-agent.ts'
import type { RegisteredWorkflow } from './registry.ts'

/** What is the same for all steps of one run. `input` and `context` are JSON text. */
export interface Interpretation {
  readonly workflow: RegisteredWorkflow
  readonly input: string
  readonly context: string
  readonly userId: string | undefined
  /** The authenticated user as JSON text. */
  readonly user: string | null
  readonly conversationId: string | undefined
  readonly logger: Logger
  /** What ties its log records to it. */
  readonly ties: { readonly executionId: string; readonly workflowId: string; readonly traceId: string }
  /** Has an agent answer on behalf of a step. */
  readonly ask: AskAgent
  /** The longest JSON text that a step's result, suspend data or event payload may have, in bytes. */
  readonly resultBytes: number
}
