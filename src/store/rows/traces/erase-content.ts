import { ATTRIBUTE, CONVERSATION_CONTENT, RUN_CONTENT } from '../../../contract/attributes.ts'
import type { ErasedSpans, Subject } from '../../trace-store.ts'
import { jsonArray } from '../json-array.ts'
import { elementOf, spansIn } from './span-chunks.ts'

interface Recorded {
  readonly parentSpanId?: string
  readonly attributes?: Readonly<Record<string, unknown>>
}

/** Whether a trace with these subjects has spans of others than those that are erased. */
export function isShared(
  subjects: readonly (readonly [subject: Subject, id: string])[],
  { executionIds, conversation, userId }: ErasedSpans,
): boolean {
  const erased: Partial<Record<Subject, readonly string[]>> = {
    executionId: executionIds,
    ...(conversation && { conversationId: [conversation.conversationId] }),
    ...(userId !== undefined && { userId: [userId] }),
  }
  return subjects.some(([subject, id]) => erased[subject]?.includes(id) === false)
}

/** Removes what the spans of executions, of a conversation, or of a user contain from the chunks of one trace. */
export class ContentErasure {
  readonly #erased: ErasedSpans
  readonly #executionIds: ReadonlySet<string>
  readonly #parents = new Map<string, string>()
  readonly #executions = new Map<string, string>()

  constructor(erased: ErasedSpans) {
    this.#erased = erased
    this.#executionIds = new Set(erased.executionIds)
  }

  /** Whether all chunks have to be passed to `note` first: a span is found by those above it. */
  get needsNotes(): boolean {
    return this.#executionIds.size > 0
  }

  note(chunk: string): void {
    for (const { spanId, data } of spansIn(chunk)) {
      const { parentSpanId, attributes = {} } = JSON.parse(data) as Recorded
      if (parentSpanId !== undefined) this.#parents.set(spanId, parentSpanId)
      const id = attributes[ATTRIBUTE.executionId]
      if (typeof id === 'string') this.#executions.set(spanId, id)
    }
  }

  /** The chunk without the content; `undefined` if it has none. */
  without(chunk: string): string | undefined {
    // most chunks of a trace are of no model or tool
    const mayHave = this.needsNotes || this.#erased.userId !== undefined
    if (!mayHave && !CONVERSATION_CONTENT.some((name) => chunk.includes(`"${name}"`))) return undefined
    let hasChanged = false
    const elements = spansIn(chunk).map((span) => {
      const data = this.#without(span.spanId, span.data)
      hasChanged ||= data !== undefined
      return elementOf({ ...span, data: data ?? span.data })
    })
    return hasChanged ? jsonArray(elements) : undefined
  }

  #without(spanId: string, data: string): string | undefined {
    const span = JSON.parse(data) as Recorded
    const { attributes = {} } = span
    const isOfRun = this.#isOfUser(attributes) || this.#isOfExecution(spanId)
    if (!isOfRun && !this.#isOfConversation(attributes)) return undefined
    const content: readonly string[] = isOfRun ? RUN_CONTENT : CONVERSATION_CONTENT
    const kept = Object.entries(attributes).filter(([name]) => !content.includes(name))
    if (!isOfRun && kept.length === Object.keys(attributes).length) return undefined
    const { events: _events, statusMessage: _message, ...rest } = span as Record<string, unknown>
    return JSON.stringify({ ...(isOfRun ? rest : span), attributes: Object.fromEntries(kept) })
  }

  #isOfConversation(attributes: NonNullable<Recorded['attributes']>): boolean {
    const { conversation } = this.#erased
    return (
      conversation !== undefined &&
      attributes[ATTRIBUTE.conversationId] === conversation.conversationId &&
      (attributes[ATTRIBUTE.userId] ?? null) === conversation.userId
    )
  }

  #isOfUser(attributes: NonNullable<Recorded['attributes']>): boolean {
    const { userId } = this.#erased
    return userId !== undefined && attributes[ATTRIBUTE.userId] === userId
  }

  /** Whether the nearest span of an execution, from this one upwards, is of an erased one. */
  #isOfExecution(spanId: string): boolean {
    let at: string | undefined = spanId
    for (let depth = 0; at !== undefined && depth <= this.#parents.size; depth++) {
      const id = this.#executions.get(at)
      if (id !== undefined) return this.#executionIds.has(id)
      at = this.#parents.get(at)
    }
    return false
  }
}
