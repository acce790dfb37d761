import type { Logger } from 'pino'
import type { User } from '../contract/auth.ts'
import type { Schema } from '../lib/schema/schema.ts'
import type { Agent } from './agent.ts'
import type { Generated } from './answer/generated.ts'

/** What a step asks an agent. */
export interface AgentQuestion {
  readonly prompt: string
  /** The shape of the answer; without it the answer is text. */
  readonly schema?: Schema | undefined
  /** Ends the generation; what is thrown then is the signal's reason. */
  readonly signal: AbortSignal
  readonly context: Readonly<Record<string, unknown>>
  readonly userId: string | undefined
  /** Who started the execution, as the auth provider told it. */
  readonly user: User | undefined
  readonly conversationId: string | undefined
  readonly logger: Logger
}

/** Has an agent answer on behalf of a step. Throws as `generate` does. */
export type AskAgent = (agent: Agent, question: AgentQuestion) => Promise<Generated>
