import { idOfUser } from '../../../contract/access/user-key.ts'
import type { chatEndpoints } from '../../../contract/endpoints/agents/chat.ts'
import type { ChatKey } from '../../../engine/agents/durable/chats.ts'
import { CHAT_END, partEvents } from '../../reply/part-events.ts'
import type { Handler, ValidRequest } from '../../reply/reply.ts'
import type { Services } from '../../services.ts'

type Group = typeof chatEndpoints
type ChatRequest = Pick<ValidRequest<Group['stopChat']>, 'params' | 'user' | 'access'>

export function chatHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const chats = () => services.current().engine.agents.chats
  return {
    resumeChat: async (request) => {
      const chat = await chatOf(request)
      const abort = new AbortController()
      const parts = chat && (await chats().resume(chat, abort.signal))
      return parts && { events: partEvents(parts, CHAT_END), abort }
    },
    stopChat: async (request) => {
      services.current().registry.usedAgent(request.params.id)
      const chat = await chatOf(request)
      return { stopped: chat !== undefined && (await chats().stop(chat)) }
    },
  }
}

/** The chat of the caller; of any user for the operator, and `undefined` for a user without an id. */
async function chatOf({ params, user, access }: ChatRequest): Promise<ChatKey | undefined> {
  const chat = { agentId: params.id, conversationId: params.chatId }
  if (!user) return { ...chat, userId: (await access.limit())?.userId }
  const userId = idOfUser(user)
  return userId === undefined ? undefined : { ...chat, userId }
}
