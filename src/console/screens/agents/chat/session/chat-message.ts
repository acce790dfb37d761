import type { DataOf } from '../../../../api/call.ts'

export type Run = DataOf<'listAgentHistory'>[number]
export type Usage = NonNullable<Run['usage']>

/** A call of a tool within an answer, as far as it has come. */
export interface ToolPart {
  readonly type: 'tool'
  readonly toolCallId: string
  readonly toolName: string
  readonly state: 'input-streaming' | 'input-available' | 'output-available' | 'output-error'
  /** What there is of the input while it comes. */
  readonly inputText?: string
  readonly input?: unknown
  readonly output?: unknown
  readonly errorText?: string
}

export type ChatPart =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | ToolPart
  /** What is named and not shown: a file, a source. */
  | { readonly type: 'other'; readonly text: string }

/** What is known of an answer beside what it says. */
export interface AnswerFacts {
  readonly status: 'streaming' | 'completed' | 'stopped' | 'error'
  readonly error?: unknown
  /** Of the run, as the history has it. */
  readonly runId?: string
  readonly model?: string
  readonly usage?: Usage
  readonly traceId?: string
  readonly finishReason?: string
  /** From the request to the first of the answer. */
  readonly firstMs?: number
  readonly tookMs?: number
}

export interface ChatMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly parts: readonly ChatPart[]
  /** Of answers. */
  readonly facts?: AnswerFacts
}

/** All that a message says. */
export function textOf({ parts }: Pick<ChatMessage, 'parts'>): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n')
}

/** Random, also on pages that are not of a secure origin, where `crypto.randomUUID` is missing. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
