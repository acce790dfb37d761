import type { ModelMessage } from 'ai'
import type { Agent } from '../../agent/agent.ts'
import type { Generated } from '../../agent/answer/generated.ts'
import type { ConversationStore, Exchange } from '../../store/agent-store.ts'
import { decodeStored } from '../record/values.ts'
import { type AgentCall, conversationOf, userIdOf } from './agent-call.ts'

const CONTEXT_LIMIT = 20

/** What the model is shown, and what is remembered of the answer. */
export interface Recalled {
  readonly messages: readonly ModelMessage[]
  /** `undefined` when nothing is to be remembered. */
  readonly exchange: (generated: Generated) => Exchange | undefined
}

/** Puts what is remembered of the conversation before what the caller said. */
export async function recall(
  { agent, call, said }: { agent: Agent; call: AgentCall; said: readonly ModelMessage[] },
  conversations: ConversationStore,
): Promise<Recalled> {
  const conversationId = conversationOf(agent, call)
  if (conversationId === undefined) return { messages: said, exchange: () => undefined }
  const key = { userId: userIdOf(call), conversationId }
  const replace = call.replacesHistory === true
  const limit = call.options?.contextLimit ?? limitOf(agent)
  const earlier = replace
    ? newest(said.slice(0, -1), limit)
    : (await conversations.messages(key, limit)).flatMap((text) => storedMessage(text))
  const fresh = replace ? said.slice(-1) : said
  return {
    messages: [...fromWhole(earlier), ...fresh],
    exchange: ({ messages }) => {
      const added = [...said, ...messages].map((message) => JSON.stringify(message))
      return { key, messages: added, replace }
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

/** Providers refuse the results of tool calls that were cut away. */
function fromWhole(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const first = messages.findIndex(({ role }) => role !== 'tool')
  return first === -1 ? [] : messages.slice(first)
}
