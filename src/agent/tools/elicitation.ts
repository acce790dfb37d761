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
  | {
      /** What the person did with the form. */
      readonly action: 'accept'
      /** The values of the form, when it was accepted. */
      readonly content: T
    }
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
  | {
      /** Type of the part. */
      readonly type: 'text'
      /** Text of the part. */
      readonly text: string
    }
  | {
      readonly type: 'image' | 'audio'
      /** Data, encoded as base64. */
      readonly data: string
      /** Media type of the data. */
      readonly mimeType: string
    }

/** A completion that a tool requests from the client's model (MCP, `CreateMessageRequestParams`). */
export interface SampleRequest {
  /** Messages of the request. */
  readonly messages: readonly {
    /** Role of the message. */
    readonly role: 'user' | 'assistant'
    /** Content of the message. */
    readonly content: SampleContent
  }[]
  /** Maximum number of tokens of the answer. */
  readonly maxTokens: number
  /** System prompt. */
  readonly systemPrompt?: string
  /** Sampling temperature. */
  readonly temperature?: number
  /** Texts that end the answer. */
  readonly stopSequences?: readonly string[]
  /** The timeout in milliseconds. Default: 300,000 (5 minutes). Maximum: 3,600,000 (1 hour). */
  readonly timeoutMs?: number
}

/** The completion of the client's model (MCP, `CreateMessageResult`). */
export interface SampleResult {
  /** Role of the answer. */
  readonly role: 'user' | 'assistant'
  /** Content of the answer. */
  readonly content: SampleContent
  /** The name of the model that the client used. */
  readonly model: string
  /** Why the model stopped. */
  readonly stopReason?: string
}

/**
 * Requests a completion from the client's model (MCP sampling).
 *
 * @throws AppError `unavailable` when the client does not respond in time or returns an error; `execution_failed`
 *   when its response is invalid.
 */
export type Sample = (request: SampleRequest) => Promise<SampleResult>
