import type { InferOutput, Schema } from '../../lib/schema/schema.ts'

/** A form that a tool requests from the user of its client (MCP elicitation). */
export interface ElicitRequest<S extends Schema = Schema> {
  /** The text shown above the form. */
  readonly message: string
  /** A flat object of strings, numbers, booleans and string enums. The form is validated against it. */
  readonly schema: S
  /** The timeout in milliseconds. Default: 300,000 (5 minutes). Maximum: 3,600,000 (1 hour). */
  readonly timeoutMs?: number
}

/** The user's action: the form was accepted, declined, or closed (MCP, `ElicitResult`). */
export type ElicitResult<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' | 'cancel' }

/**
 * Requests a form from the user of the client (MCP elicitation).
 *
 * @throws AppError `unavailable` when the client does not respond in time or returns an error; `execution_failed`
 *   when the form does not match the schema.
 *
 * @example
 * const answer = await elicit({ message: 'Deliver where?', schema: z.object({ city: z.string() }) })
 * if (answer.action === 'accept') book(answer.content.city)
 */
export type Elicit = <S extends Schema>(request: ElicitRequest<S>) => Promise<ElicitResult<InferOutput<S>>>

/** A content block of a sampling message. Binary data is base64. */
export type SampleContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }

/** A completion that a tool requests from the client's model (MCP, `CreateMessageRequestParams`). */
export interface SampleRequest {
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: SampleContent }[]
  readonly maxTokens: number
  readonly systemPrompt?: string
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  /** The timeout in milliseconds. Default: 300,000 (5 minutes). Maximum: 3,600,000 (1 hour). */
  readonly timeoutMs?: number
}

/** The completion of the client's model (MCP, `CreateMessageResult`). */
export interface SampleResult {
  readonly role: 'user' | 'assistant'
  readonly content: SampleContent
  /** The name of the model that the client used. */
  readonly model: string
  readonly stopReason?: string
}

/**
 * Requests a completion from the client's model (MCP sampling).
 *
 * @throws AppError `unavailable` when the client does not respond in time or returns an error; `execution_failed`
 *   when its response is invalid.
 */
export type Sample = (request: SampleRequest) => Promise<SampleResult>
