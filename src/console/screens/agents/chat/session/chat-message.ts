import type { DataOf } from '../../../../api/call.ts'
import type { PendingCall } from '../../../../../contract/pending-call.ts'

export type Run = DataOf<'listAgentHistory'>[number]
export type Usage = NonNullable<Run['usage']>

/** A tool call within an answer. */
export interface ToolPart {
  readonly type: 'tool'
  readonly toolCallId: string
  readonly toolName: string
  /** The sub-agent that calls it. */
  readonly agentId?: string
  readonly state: 'input-streaming' | 'input-available' | 'output-available' | 'output-error'
  /** The partial input while it streams. */
  readonly inputText?: string
  readonly input?: unknown
  readonly output?: unknown
  readonly errorText?: string
}

export type ChatPart =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | ToolPart
  /** A file or source, shown by name only. */
  | { readonly type: 'other'; readonly text: string }

/** Status, usage and timing of an answer. */
export interface AnswerDetails {
  readonly status: 'streaming' | 'reconnecting' | 'completed' | 'stopped' | 'error'
  readonly error?: unknown
  /** Id of the run in the history. */
  readonly runId?: string
  readonly model?: string
  readonly usage?: Usage
  readonly traceId?: string
  readonly finishReason?: string
  /** Why a guardrail blocked it. */
  readonly reason?: string
  /** Time to the first token. */
  readonly firstMs?: number
  readonly tookMs?: number
}

export interface ChatMessage {
  readonly id: string
  /** Identifies a message that was written or generated on this page, before and after it has its id. */
  readonly key?: string
  readonly role: 'user' | 'assistant'
  readonly parts: readonly ChatPart[]
  /** What the answer waits for. */
  readonly approvals?: readonly PendingCall[] | undefined
  /** Set for answers. */
  readonly details?: AnswerDetails
}

/** The text of a message. */
export function textOf({ parts }: Pick<ChatMessage, 'parts'>): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
}

/** A random id. `crypto.randomUUID` is missing on insecure origins. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The first value that is a string; else an empty one. */
export function firstText(...values: readonly unknown[]): string {
  return values.find((value): value is string => typeof value === 'string') ?? ''
}
