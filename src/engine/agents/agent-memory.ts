import type { ModelMessage } from 'ai'
import type { Agent } from '../../agent/agent.ts'
import { textOfMessage } from '../../agent/answer/to-model-messages.ts'
import { conversationTitle } from '../../agent/conversation/conversation-title.ts'
import { startsOf } from '../../agent/conversation/to-ui-messages.ts'
import { userKey } from '../../contract/access/user-key.ts'
import type { Generated } from '../../agent/answer/generated.ts'
import type { ConversationStore, Exchange } from '../../store/agents/conversation-store.ts'
import { decodeStored } from '../record/values.ts'
import { type AgentCall, conversationOf, userIdOf } from './agent-call.ts'

const CONTEXT_LIMIT = 20

/** The messages for the model, and the conversation to extend after the answer. */
export interface Recalled {
  readonly messages: readonly ModelMessage[]
  /** `null` when the conversation is not stored. */
  readonly exchange: StoredExchange | null
}

/** How an answer extends its conversation. JSON. */
export interface StoredExchange extends Omit<Exchange, 'messages' | 'starts'> {
  /** The messages before the answer. */
  readonly received: readonly ModelMessage[]
}

/** The exchange to store with an answer. */
export function exchangeOf(stored: StoredExchange | null, { messages }: Generated): Exchange | undefined {
  if (!stored) return undefined
  const { received, ...exchange } = stored
  const added = [...received, ...messages]
  return {
    ...exchange,
    messages: added.map((message) => JSON.stringify(message)),
    starts: startsOf(added),
  }
}

interface Received {
  readonly agent: Agent
  readonly call: AgentCall
  readonly received: readonly ModelMessage[]
  readonly startedAt: number
}

/** Loads the conversation and puts its messages before those of the caller. */
export async function recall(
  { agent, call, received, startedAt }: Received,
  conversations: ConversationStore,
): Promise<Recalled> {
  const conversationId = conversationOf(agent, call)
  if (conversationId === undefined) return { messages: received, exchange: null }
  const key = { userId: userIdOf(call), conversationId }
  const replace = call.replacesHistory === true
  const limit = call.options?.contextLimit ?? limitOf(agent)
  const earlier = replace
    ? newest(received.slice(0, -1), limit)
    : (await conversations.messages(key, limit)).flatMap((text) => storedMessage(text))
  const fresh = replace ? received.slice(-1) : received
  const question = received.find(({ role }) => role === 'user')
  return {
    messages: [...withoutLeadingResults(earlier), ...fresh],
    exchange: {
      key,
      owner: call.user ? userKey(call.user) : null,
      agentId: agent.id,
      title: question ? conversationTitle(textOfMessage(question)) : null,
      startedAt,
      replace,
      received,
    },
  }
}

function limitOf({ memory }: Agent): number {
  return (typeof memory === 'object' ? memory.contextLimit : undefined) ?? CONTEXT_LIMIT
}

function newest<T>(list: readonly T[], count: number): readonly T[] {
  return list.slice(Math.max(list.length - count, 0))
}

function storedMessage(text: string): ModelMessage[] {
  const message = decodeStored<ModelMessage | undefined>(text, undefined)
  return message === undefined ? [] : [message]
}

/** Providers reject tool results whose calls are beyond the limit. */
function withoutLeadingResults(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const first = messages.findIndex(({ role }) => role !== 'tool')
  return first === -1 ? [] : messages.slice(first)
}
