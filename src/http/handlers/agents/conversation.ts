import type { conversationEndpoints } from '../../../contract/endpoints/agents/conversation.ts'
import { recordUserId } from '../../../contract/access/user-key.ts'
import { PAGE } from '../../../contract/fields.ts'
import type { User } from '../../../contract/auth.ts'
import type { ConversationFilter, ConversationKey } from '../../../store/agents/conversation-store.ts'
import { eraseRecords } from '../../erase-records.ts'
import type { Handler } from '../../reply/reply.ts'
import { Reply } from '../../reply/reply.ts'
import type { Services } from '../../services.ts'

type Group = typeof conversationEndpoints

interface ListQuery {
  readonly limit?: string | undefined
  readonly offset?: string | undefined
  readonly search?: string | undefined
}

interface ConversationRequest {
  readonly params: { readonly id: string; readonly conversationId: string }
  readonly query: { readonly userId?: string | undefined }
  readonly user: User | undefined
}

export function conversationHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const conversations = () => services.current().engine.conversations
  const list = async (own: ConversationFilter | undefined, { limit, offset, search }: ListQuery) => {
    const filter = { ...own, words: search?.trim().split(/\s+/) }
    const page = { limit: Number(limit ?? PAGE.defaultLimit), offset: Number(offset ?? 0) }
    const records = own ? await conversations().list(filter, page) : []
    if (limit === undefined && offset === undefined) return { records, headers: {} }
    const total = own ? await conversations().count(filter) : 0
    return { records, headers: { 'X-Total-Count': String(total) } }
  }
  const named = ({ params, query, user }: ConversationRequest): [agentId: string, key: ConversationKey] => {
    const { id } = services.current().registry.usedAgent(params.id)
    return [id, { userId: recordUserId(user, query.userId), conversationId: params.conversationId }]
  }
  return {
    listConversations: async ({ params, query, access }) => {
      const { id: agentId } = services.current().registry.usedAgent(params.id)
      const own = access.conversations(query.userId)
      const { records, headers } = await list(own && { ...own, agentId }, query)
      const readable = await access.readable(records, 'conversation')
      const data = readable.map(
        ({ userId: _user, agentIds: _agents, ownerId: _owner, ...conversation }) => conversation,
      )
      return new Reply(data, { headers })
    },
    listAllConversations: async ({ query, access }) => {
      const { userId, agentId } = query
      const own = access.isLimited ? access.conversations(userId) : { userId }
      const { records, headers } = await list(own && { ...own, agentId }, query)
      const readable = await access.readable(records, 'conversation')
      return new Reply(
        readable.map(({ ownerId: _owner, ...conversation }) => conversation),
        { headers },
      )
    },
    listMessages: (request) => {
      const { limit, before } = request.query
      const page = {
        limit: Number(limit ?? PAGE.defaultLimit),
        before: before === undefined ? undefined : Number(before),
      }
      return conversations().messages(...named(request), page)
    },
    renameConversation: (request) => conversations().rename(...named(request), request.body.title),
    deleteConversation: async (request) => {
      const [agentId, key] = named(request)
      const { runs } = await conversations().delete(agentId, key)
      const { erasure } = services.current().engine
      await eraseRecords(services, await erasure.ofRuns(runs), { conversation: key })
      await erasure.purge()
      return { deleted: true }
    },
  }
}
