import type { ModelMessage } from 'ai'
import type { ResolvedGuardrails } from './declared-guardrails.ts'
import { BlockSignal, withPatternTime } from './guardrail.ts'
import type { GuardedMessage, GuardrailRequest } from './guardrail.ts'
import { runGuardrails } from './run-guardrails.ts'

interface GuardInputOptions {
  readonly agentId: string
  readonly guardrails: ResolvedGuardrails
  readonly request: GuardrailRequest
  /** Whether the caller sent a list of messages. */
  readonly isList: boolean
  /** Validates messages that a guardrail returned. */
  readonly readMessages: (messages: readonly object[]) => Promise<ModelMessage[]>
}

/** The messages of earlier turns that are checked at the same time. */
const MAX_PARALLEL_CHECKS = 10

/**
 * Applies the input guardrails of an agent. Returns `messages` itself when nothing was replaced.
 *
 * Callers that send a whole conversation send messages of earlier turns: those that guardrails block are left out, as
 * they were when they were new. Assistant messages are checked by the output guardrails.
 *
 * @throws as `runGuardrails`, for the last user message.
 */
export async function guardInput(
  messages: readonly ModelMessage[],
  { request: received, ...others }: GuardInputOptions,
): Promise<readonly ModelMessage[]> {
  const request = withPatternTime(received)
  const { guardrails, agentId, isList, readMessages } = others
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const earlier = await checkEarlier(messages, last, { ...others, request })
  const current = earlier.findLastIndex(({ role }) => role === 'user')
  if (last === -1 || guardrails.input.length === 0) return earlier
  return runGuardrails<readonly ModelMessage[]>(guardrails.input, earlier, {
    agentId,
    request,
    toMembers: (value) => ({
      text: textOf(value[value === earlier ? current : lastUser(value)]),
      ...(isList && { messages: value }),
    }),
    read: (replacement, value) =>
      typeof replacement === 'string'
        ? withText(value, lastUser(value), replacement)
        : readMessages(asMessages(replacement)),
  })
}

async function checkEarlier(
  messages: readonly ModelMessage[],
  last: number,
  options: GuardInputOptions,
): Promise<readonly ModelMessage[]> {
  const checked: (ModelMessage | undefined)[] = []
  for (let start = 0; start < messages.length; start += MAX_PARALLEL_CHECKS) {
    const some = messages.slice(start, start + MAX_PARALLEL_CHECKS)
    const check = async (message: ModelMessage, index: number) =>
      start + index === last ? message : checkOne(message, options)
    checked.push(...(await Promise.all(some.map(check))))
  }
  const changed = checked.some((message, index) => message !== messages[index])
  return changed ? checked.filter((message) => message !== undefined) : messages
}

/** A message of an earlier turn as it passes; `undefined` when nothing of it does. */
async function checkOne(
  message: ModelMessage,
  { guardrails, agentId, request }: GuardInputOptions,
): Promise<ModelMessage | undefined> {
  const { role } = message
  const list = role === 'user' ? guardrails.input : role === 'assistant' ? guardrails.output : []
  const text = textOf(message)
  if (text === '' || list.length === 0) return message
  try {
    const passed = await runGuardrails(list, text, {
      agentId,
      request,
      toMembers: (value) => ({ text: value }),
      read: (replacement, value) => (typeof replacement === 'string' ? replacement : value),
    })
    return passed === text ? message : replaceText(message, passed)
  } catch (error) {
    if (!(error instanceof BlockSignal)) throw error
    // the results of its tool calls would have no calls
    return role === 'assistant' ? replaceText(message, '') : undefined
  }
}

function lastUser(messages: readonly ModelMessage[]): number {
  return messages.findLastIndex(({ role }) => role === 'user')
}

function withText(messages: readonly ModelMessage[], index: number, text: string): readonly ModelMessage[] {
  return messages.map((message, at) => (at === index ? replaceText(message, text) : message))
}

/** The text of a message. */
function textOf(message: ModelMessage | undefined): string {
  const content = message?.content ?? ''
  if (typeof content === 'string') return content
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** A message with another text in place of its own. Reasoning, which may repeat it, is left out. */
function replaceText(message: ModelMessage, text: string): ModelMessage {
  const { content } = message
  if (typeof content === 'string') return { ...message, content: text } as ModelMessage
  const others = (content as readonly { type: string }[]).filter(
    ({ type }) => type !== 'text' && type !== 'reasoning',
  )
  const texts = text === '' ? [] : [{ type: 'text', text }]
  return { ...message, content: [...texts, ...others] } as ModelMessage
}

function asMessages(replacement: unknown): readonly GuardedMessage[] {
  if (Array.isArray(replacement) && replacement.length > 0) return replacement as readonly GuardedMessage[]
  throw new TypeError('The replacement of an input must be a text or a list of messages')
}
