import type { User } from '../contract/auth.ts'
import type { Awaitable } from '../lib/async/awaitable.ts'

/** The request that the functions among an agent's options receive. */
export interface AgentInput {
  /** The authenticated user; `undefined` without an auth provider. */
  readonly user: User | undefined
  /** `options.context` of the request. */
  readonly context: Readonly<Record<string, unknown>>
  /** Id of the conversation; missing outside of one. */
  readonly conversationId: string | undefined
  /** The text of the request: its input, or the text of its last user message. */
  readonly input: string
}

/** A value, or a function that returns it for a request. */
export type PerRequest<Value> = Value | ((request: AgentInput) => Awaitable<Value>)

/** The options of an agent that may be functions. */
export const PER_REQUEST_OPTIONS = ['instructions', 'model', 'tools'] as const
export type PerRequestOption = (typeof PER_REQUEST_OPTIONS)[number]
