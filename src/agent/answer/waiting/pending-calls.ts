import type { JsonSchema } from '../../../lib/schema/schema.ts'
import type { StepWait } from '../../../contract/step-wait.ts'
import type { ToolCall } from './tool-call.ts'

/** A tool call that a person has to approve, or a form that it requests (MCP elicitation). */
export interface PendingApproval extends ToolCall {
  /** Id of the approval. */
  readonly approvalId: string
  /** The agent whose tool it is: a sub-agent, or the agent itself. */
  readonly agentId: string
  /** A form that a person fills in; missing: an approval. */
  readonly kind?: 'elicitation'
  /** The text above the form, and the JSON Schema of its data. */
  readonly message?: string
  /** JSON Schema of the form. */
  readonly schema?: JsonSchema
}

/** A call of a sub-agent whose answer waits for calls of its own, or of a tool that waits for forms. */
export interface SuspendedSubAgent {
  /** Id of the call of the sub-agent. */
  readonly toolCallId: string
  /** Id of the sub-agent. */
  readonly agentId: string
  /** The run of the sub-agent, or the id of the held call. */
  readonly runId: string
  /** The number of model calls before it waited; 0 for a held call. */
  readonly steps: number
  /** Its pending approvals. */
  readonly approvals: readonly PendingApproval[]
  /** Calls of tools that the client executes, with ids that are unique in the asking answer. */
  readonly toolCalls: readonly ToolCall[]
}

/** The id of a client's tool call: the ids that models choose are unique in their run only. */
export function clientCallId(runId: string, toolCallId: string): string {
  return `${runId}:${toolCallId}`
}

/** The id within the run of a call with such an id. */
export function callIdIn(runId: string, clientId: string): string {
  return clientId.slice(runId.length + 1)
}

/** What an answer waits for. */
export interface PendingCalls {
  /** The agent's own and those of its sub-agents. */
  readonly approvals: readonly PendingApproval[]
  /** Calls of tools that the client executes: its own and those of its sub-agents. */
  readonly toolCalls: readonly ToolCall[]
  /** Sub-agents that wait for approvals. */
  readonly subAgents: readonly SuspendedSubAgent[]
  /** Recorded calls of tools that wait in the middle of the tool. */
  readonly waits?: readonly StepWait[]
}

/** Which of its tool calls an answer may wait for; the others are errors for the model. */
export interface Waits {
  /** Someone can be asked for approval. */
  readonly approvals: boolean
  /** The client executes tools. */
  readonly clientTools: boolean
  /** Calls of the client's tools end the answer: the client sends what they return with its next request. */
  readonly returnsCalls?: boolean
  /** Of a sub-agent without a client: the id of the agent that asks it. Calls of tools of the client fail both answers. */
  readonly askedBy?: string
}

export const NO_WAITS: Waits = { approvals: false, clientTools: false }

/** Of a step: its execution waits for both. */
export const STEP_WAITS: Waits = { approvals: true, clientTools: true }

/** The result of a call that waits, of a sub-agent or a tool: the asking answer stops after this step, without this result. */
export class SuspendedAnswer {
  readonly suspended: Omit<SuspendedSubAgent, 'toolCallId'>

  constructor(suspended: Omit<SuspendedSubAgent, 'toolCallId'>) {
    this.suspended = suspended
  }
}
