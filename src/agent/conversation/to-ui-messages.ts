import type { UiMessage } from '../../contract/endpoints/agents/conversation.ts'
import { toolPart, withResult } from './tool-part.ts'
import { isPart, uiPart } from './ui-part.ts'
import type { MessagePart } from './ui-part.ts'

/** A stored message (`ModelMessage` of the AI SDK), with its number in the conversation. */
export interface NumberedMessage {
  readonly seq: number
  readonly message: unknown
  /** Whether a message of the API starts with it. */
  readonly starts: boolean
}

/**
 * Whether a UIMessage starts with each of these messages: one for each of the user, and one for an answer with all its steps. The
 * first message of a list starts one unless it has results of tools, which belong to the answer before.
 */
export function startsOf(messages: readonly { readonly role: string }[]): boolean[] {
  return messages.map(({ role }, index) => {
    const before = messages[index - 1]?.role
    return role === 'user' || (role === 'assistant' && (before === undefined || before === 'user'))
  })
}

/**
 * Stored messages as UIMessages of the AI SDK, such as a page shows them and `useChat` takes them. A message has the
 * number of its first stored message as its id.
 */
export function toUiMessages(messages: readonly NumberedMessage[]): UiMessage[] {
  const found: { id: string; role: UiMessage['role']; parts: MessagePart[] }[] = []
  for (const { seq, message, starts } of messages) {
    if (!isPart(message)) continue
    const { role } = message
    const content = partsOf(message['content'])
    if (role === 'user') {
      found.push({ id: String(seq), role, parts: uiPartsOf(content) })
      continue
    }
    let answer = found.at(-1)
    if (role === 'assistant' && (starts || answer?.role !== 'assistant')) {
      answer = { id: String(seq), role: 'assistant', parts: [] }
      found.push(answer)
    }
    // the call of a result without an answer was deleted as one of the oldest messages
    if (answer?.role === 'assistant') addTo(answer.parts, content, role === 'assistant')
  }
  return found as UiMessage[]
}

function addTo(parts: MessagePart[], content: readonly MessagePart[], isStep: boolean): void {
  if (isStep) parts.push({ type: 'step-start' })
  for (const part of content) {
    const { type } = part
    if (type === 'tool-call') parts.push(toolPart(part))
    else if (typeof type === 'string' && type.startsWith('tool-')) addResult(parts, part)
    else parts.push(...uiPartsOf([part]))
  }
}

function addResult(parts: MessagePart[], result: MessagePart): void {
  const { toolCallId, approvalId } = result
  const index = parts.findLastIndex((part) =>
    toolCallId === undefined
      ? isPart(part['approval']) && part['approval']['id'] === approvalId
      : part['toolCallId'] === toolCallId,
  )
  const call = parts[index]
  if (call) parts[index] = withResult(call, result)
}

function uiPartsOf(content: readonly MessagePart[]): MessagePart[] {
  return content.map((part) => uiPart(part)).filter((part) => part !== undefined)
}

function partsOf(content: unknown): MessagePart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? (content as unknown[]).filter(isPart) : []
}
