import type { InferOutput, Schema } from '../../lib/schema/schema.ts'

/** What a tool asks the person behind its caller for. */
export interface ElicitRequest<S extends Schema = Schema> {
  /** Says what is wanted and why. */
  readonly message: string
  /** A flat object: texts, numbers, booleans and choices among texts. The answer is checked against it. */
  readonly schema: S
  /** How long the answer is waited for, in milliseconds: five minutes if left out, at most an hour. */
  readonly timeoutMs?: number
}

/** What the person did with the form (MCP, `ElicitResult`). */
export type ElicitResult<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' | 'cancel' }

/**
 * Asks the person behind the caller.
 *
 * @throws AppError `unavailable` when there is no answer in time or the caller can't give one;
 *   `execution_failed` when the answer doesn't fit the schema.
 */
export type Elicit = <S extends Schema>(request: ElicitRequest<S>) => Promise<ElicitResult<InferOutput<S>>>

/** A part of what is said to a caller's model, or by it. Binary data is base64. */
export type SampleContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }

/** What a tool asks its caller's model (MCP, `CreateMessageRequestParams`). */
export interface SampleRequest {
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: SampleContent }[]
  readonly maxTokens: number
  readonly systemPrompt?: string
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  /** How long the answer is waited for, in milliseconds: five minutes if left out, at most an hour. */
  readonly timeoutMs?: number
}

/** What the caller's model answered (MCP, `CreateMessageResult`). */
export interface SampleResult {
  readonly role: 'user' | 'assistant'
  readonly content: SampleContent
  /** The model that the caller chose. */
  readonly model: string
  readonly stopReason?: string
}

/**
 * Has the caller's model answer.
 *
 * @throws AppError `unavailable` when there is no answer in time or the caller can't give one.
 */
export type Sample = (request: SampleRequest) => Promise<SampleResult>
