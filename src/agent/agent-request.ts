import type { Logger } from 'pino'
import type { User } from '../contract/auth.ts'
import type { Schema } from '../lib/schema/schema.ts'
import type { Agent } from './agent.ts'
import type { Generated } from './answer/generated.ts'

/** The request of a workflow step to an agent. */
export interface AgentRequest {
  /** Prompt of the request. */
  readonly prompt: string
  /** The schema of the answer. Without it the answer is text. */
  readonly schema?: Schema | undefined
  /** Aborts the generation, which then throws the signal's reason. */
  readonly signal: AbortSignal
  /** Context data of the request. */
  readonly context: Readonly<Record<string, unknown>>
  /** Id of the user; missing when there is none. */
  readonly userId: string | undefined
  /** The authenticated user who started the execution; `undefined` without an auth provider. */
  readonly user: User | undefined
  /** Id of the conversation; missing outside of one. */
  readonly conversationId: string | undefined
  /** Default: that of the server. */
  readonly logger?: Logger
  /** Reads the complete answer. Throws when the step can't use it: a retry may then request another one. */
  readonly read?: (answer: Generated) => Promise<void>
}

/** Calls an agent on behalf of a step. Throws like `generate`. */
export type CallAgent = (agent: Agent, request: AgentRequest) => Promise<Generated>
