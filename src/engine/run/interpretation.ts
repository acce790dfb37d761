import type { Logger } from 'pino'
import type { Agent } from '../../agent/agent.ts'
import type { AgentQuestion } from '../../agent/agent-request.ts'
import type { Generated } from '../../agent/answer/generated.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { RegisteredWorkflow } from '../registry.ts'

/** A question of a step, within the span of its attempt. */
export type TracedQuestion = AgentQuestion & { readonly trace: TraceScope }

/** What is the same for all steps of one run. `input` and `context` are JSON text. */
export interface RunContext {
  readonly workflow: RegisteredWorkflow
  readonly input: string
  readonly context: string
  readonly userId: string | undefined
  /** The authenticated user as JSON text. */
  readonly user: string | null
  readonly conversationId: string | undefined
  readonly logger: Logger
  /** What ties its log records to it. */
  readonly logBindings: {
    readonly executionId: string
    readonly workflowId: string
    readonly traceId: string
  }
  /** Has an agent answer on behalf of a step. */
  readonly ask: (agent: Agent, question: TracedQuestion) => Promise<Generated>
  /** The longest JSON text that a step's result, suspend data or event payload may have, in bytes. */
  readonly resultBytes: number
}
