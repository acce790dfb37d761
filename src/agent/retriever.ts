import type { User } from '../contract/auth.ts'
import type { Awaitable } from '../lib/async/awaitable.ts'

/** A document that a retriever has found. Further members are passed to the model as well. */
export interface RetrievedDocument {
  /** Text of the document. */
  readonly text: string
  /** By which the model can refer to it. */
  readonly id?: string
  /** Additional data of the document. */
  readonly metadata?: Readonly<Record<string, unknown>>
  /** How well it fits, as the retriever measures it. */
  readonly score?: number
  readonly [member: string]: unknown
}

/** What a retriever is asked. */
export interface RetrieverRequest {
  /** The text of the request: its input, or the text of its last user message. */
  readonly query: string
  /** The authenticated user; `undefined` without an auth provider. */
  readonly user: User | undefined
  /** `options.context` of the request. */
  readonly context: Readonly<Record<string, unknown>>
  /** Id of the conversation; missing outside of one. */
  readonly conversationId: string | undefined
  /** Aborts when the client disconnects, or the answer takes too long. */
  readonly signal: AbortSignal
}

/**
 * Finds documents for a request, which the model receives with the instructions of the agent.
 *
 * @example
 * const retriever: Retriever = async ({ query, user }) => index.search(query, { tenant: user?.tenantId, limit: 5 })
 */
export type Retriever = (request: RetrieverRequest) => Awaitable<readonly RetrievedDocument[]>
