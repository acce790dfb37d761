import { ATTRIBUTE, CONVERSATION_CONTENT } from '../../../contract/attributes.ts'
import type { ConversationKey } from '../../agents/conversation-store.ts'
import { jsonArray } from '../json-array.ts'
import { elementOf, spansIn } from './span-chunks.ts'

/**
 * A chunk without the content on the spans of a conversation: prompts, answers, arguments and results of tools. `undefined` if it
 * has none.
 */
export function withoutContent(spans: string, conversation: ConversationKey): string | undefined {
  // most chunks of a trace are of no model or tool
  if (!CONVERSATION_CONTENT.some((name) => spans.includes(`"${name}"`))) return undefined
  let hasChanged = false
  const elements = spansIn(spans).map((span) => {
    const data = erased(span.data, conversation)
    hasChanged ||= data !== undefined
    return elementOf({ ...span, data: data ?? span.data })
  })
  return hasChanged ? jsonArray(elements) : undefined
}

interface Recorded {
  readonly attributes?: Readonly<Record<string, unknown>>
}

function erased(data: string, { userId, conversationId }: ConversationKey): string | undefined {
  const span = JSON.parse(data) as Recorded
  const { attributes = {} } = span
  if (attributes[ATTRIBUTE.conversationId] !== conversationId) return undefined
  if ((attributes[ATTRIBUTE.userId] ?? null) !== userId) return undefined
  if (!CONVERSATION_CONTENT.some((name) => name in attributes)) return undefined
  const kept = Object.entries(attributes).filter(
    ([name]) => !(CONVERSATION_CONTENT as readonly string[]).includes(name),
  )
  return JSON.stringify({ ...span, attributes: Object.fromEntries(kept) })
}
