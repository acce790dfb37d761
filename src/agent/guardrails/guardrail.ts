import type { User } from '../../contract/auth.ts'
import type { Awaitable } from '../../lib/async/awaitable.ts'
import { TimeBudget } from '../../lib/async/time-limit.ts'

/** The request that a guardrail's value belongs to. */
export interface GuardrailRequest {
  /** The authenticated user; `undefined` without an auth provider. */
  readonly user: User | undefined
  /** `options.context` of the request. */
  readonly context: Readonly<Record<string, unknown>>
  /** Id of the conversation; missing outside of one. */
  readonly conversationId: string | undefined
  /** Aborts when the caller disconnects, or after 10 seconds. */
  readonly signal: AbortSignal
}

/** A message (`ModelMessage` of the AI SDK). */
export interface GuardedMessage {
  /** Role of the message. */
  readonly role: string
  /** Content of the message. */
  readonly content: unknown
}

/** The input of a request. */
export interface InputValue {
  /** The input, or the text of a user message. */
  readonly text: string
  /** All messages of the request, when its input is a list of messages. */
  readonly messages?: readonly GuardedMessage[] | undefined
}

/** The text of an answer, or its object when the request has a schema. */
export type OutputValue =
  | {
      /** Text of the answer. */
      readonly text: string
      /** Not with `text`. */
      readonly object?: undefined
    }
  | {
      /** Not with `object`. */
      readonly text?: undefined
      /** Object of the answer. */
      readonly object: unknown
    }

/** Nothing lets the value pass; `block` ends the answer with that reason; `replace` is used instead of the value. */
export type GuardrailResult<Value = unknown> =
  | void
  | undefined
  | null
  | {
      /** Reason for which the value is blocked. */
      readonly block: string
    }
  | {
      /** Value that takes its place. */
      readonly replace: Value
    }

/** Checks the input of a request before the model is called. The replacement is a text, or a list of messages. */
export type InputGuardrail = (
  value: InputValue & GuardrailRequest,
) => Awaitable<GuardrailResult<string | readonly GuardedMessage[]>>

/**
 * Checks an answer before the caller receives it. Of a stream, it is called with the text so far: at the end of each
 * sentence, and at most 500 ms after text has arrived. The replacement of a text is a text.
 */
export type OutputGuardrail = (value: OutputValue & GuardrailRequest) => Awaitable<GuardrailResult>

/** A guardrail for both input and output. */
export type Guardrail = (value: GuardedValue & GuardrailRequest) => Awaitable<GuardrailResult<string>>

/** The text, or the object of an answer. */
export interface GuardedValue {
  /** Text of the input or of the answer. */
  readonly text?: string | undefined
  /** Messages of the request. */
  readonly messages?: readonly GuardedMessage[] | undefined
  /** Object of the answer. */
  readonly object?: unknown
}

/** The option `guardrails` of an agent. */
export interface Guardrails {
  /** Called in order, each with the value that the one before returned. */
  readonly input?: readonly InputGuardrail[]
  /** Called in order, each with the value that the one before returned. */
  readonly output?: readonly OutputGuardrail[]
}

/** The member of a request with the time that the regular expressions of its guardrails have left. */
export const PATTERN_TIME = Symbol.for('agentserver.guardrail.pattern-time')

export interface WithPatternTime {
  readonly [PATTERN_TIME]?: TimeBudget
}

/** Time that the regular expressions may take for the input, and for the answer, of one request, in milliseconds. */
const PATTERN_TIME_MS = 1000

export function patternTime(): TimeBudget {
  return new TimeBudget(PATTERN_TIME_MS)
}

/** A request whose guardrails share the time for their regular expressions. */
export function withPatternTime(request: GuardrailRequest): GuardrailRequest & WithPatternTime {
  return { ...request, [PATTERN_TIME]: patternTime() }
}

/**
 * The member of a guardrail that tells from which index, at least `from`, a text may end with the beginning of what it
 * replaces. A stream holds that part back until more text arrives.
 */
export const UNFINISHED = Symbol.for('agentserver.guardrail.unfinished')

export interface WithUnfinished {
  readonly [UNFINISHED]?: (text: string, from: number, request?: WithPatternTime) => number
}

/**
 * The member of a guardrail that replaces the beginning of a match at the end of a text before a tool call: its rest may
 * come after the call, when this text has been sent.
 */
export const REDACT_END = Symbol.for('agentserver.guardrail.redact-end')

export interface WithRedactEnd {
  readonly [REDACT_END]?: (text: string, request?: WithPatternTime) => string
}

/** The member of a guardrail that is for answers only: summaries of conversations are not checked by it. */
export const ANSWERS_ONLY = Symbol.for('agentserver.guardrail.answers-only')

export interface WithAnswersOnly {
  readonly [ANSWERS_ONLY]?: true
}

/** Ends an answer that a guardrail blocked. */
export class BlockSignal extends Error {
  override readonly name = 'BlockSignal'
  readonly reason: string

  constructor(reason: string) {
    super('Blocked by a guardrail')
    this.reason = reason
  }
}
