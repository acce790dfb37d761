import type { CallerAccess } from '../../../auth/caller-access.ts'
import type {
  Conversation,
  MemoryConversation,
  UserConversation,
  conversationEndpoints,
} from '../../../contract/endpoints/agents/conversation.ts'
import { NO_USER_ID, recordUserId, userKey } from '../../../contract/access/user-key.ts'
import { PAGE } from '../../../contract/fields.ts'
import { pageOf } from '../../request/page-of.ts'
import type { User } from '../../../contract/auth.ts'
import { AppError } from '../../../lib/errors.ts'
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

interface MessagesQuery {
  readonly limit?: string | undefined
  readonly before?: string | undefined
}

interface ConversationRequest {
  readonly params: { readonly id: string; readonly conversationId: string }
  readonly query: { readonly userId?: string | undefined }
  readonly user: User | undefined
}

/** A request of VoltAgent's clients. */
interface MemoryRequest {
  readonly params: { readonly conversationId: string }
  readonly query: OfAgent & { readonly userId?: string | undefined }
  readonly user: User | undefined
  readonly access: CallerAccess
}

interface OfAgent {
  readonly agentId?: string | undefined
  readonly resourceId?: string | undefined
}

type NamedConversation = [agentId: string | undefined, key: ConversationKey]

export function conversationHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const conversations = () => services.current().engine.conversations
  const list = async (own: ConversationFilter | undefined, query: ListQuery) => {
    const filter = { ...own, words: query.search?.trim().split(/\s+/) }
    const records = own ? await conversations().list(filter, pageOf(query)) : []
    return { records, total: () => (own ? conversations().count(filter) : 0) }
  }
  const totalHeader = async ({ limit, offset }: ListQuery, total: () => number | Promise<number>) =>
    limit === undefined && offset === undefined ? {} : { 'X-Total-Count': String(await total()) }
  const named = ({ params, query, user }: ConversationRequest): NamedConversation => {
    const { id } = services.current().registry.usedAgent(params.id)
    return [id, { userId: recordUserId(user, query.userId), conversationId: params.conversationId }]
  }
  /** The agent that a request of VoltAgent's clients names, if any. */
  const agentIn = ({ agentId, resourceId }: OfAgent): string | undefined => {
    if (agentId !== undefined && resourceId !== undefined && agentId !== resourceId)
      throw new AppError('invalid_input', 'resourceId: Must be the same as agentId')
    const id = agentId ?? resourceId
    return id === undefined ? undefined : services.current().registry.usedAgent(id).id
  }
  /** Operators, and callers without authentication, may name the conversation of any user by its id alone. */
  const namedInMemory = async (
    { params: { conversationId }, query, user, access }: MemoryRequest,
    more: OfAgent & { readonly userId?: string | undefined } = {},
  ): Promise<NamedConversation> => {
    const agentId = agentIn({ ...more, ...query })
    const claimed = query.userId ?? more.userId
    if (access.isLimited || claimed !== undefined || user)
      return [agentId, { userId: recordUserId(user, claimed), conversationId }]
    const [found, other] = await conversations().list({ conversationId, agentId }, { limit: 2, offset: 0 })
    if (other)
      throw new AppError(
        'invalid_input',
        `userId: Required, as several users have a conversation ${conversationId}`,
      )
    return [agentId, { userId: found?.userId ?? null, conversationId }]
  }
  const messages = ([agentId, key]: NamedConversation, query: MessagesQuery) => {
    const { limit, before } = query
    const page = {
      limit: Number(limit ?? PAGE.defaultLimit),
      before: before === undefined ? undefined : Number(before),
    }
    return conversations().messages(agentId, key, page)
  }
  const remove = async ([agentId, key]: NamedConversation) => {
    const { runs } = await conversations().delete(agentId, key)
    const { erasure } = services.current().engine
    await eraseRecords(services, await erasure.ofRuns(runs), { conversation: key })
    await erasure.purge()
    return { deleted: true }
  }
  return {
    listConversations: async ({ params, query, access }) => {
      const { id: agentId } = services.current().registry.usedAgent(params.id)
      const own = access.conversations(query.userId)
      const { records, total } = await list(own && { ...own, agentId }, query)
      const readable = await access.readable(records, 'conversation')
      const data = readable.map(
        ({ userId: _user, agentIds: _agents, ownerId: _owner, ...conversation }) => conversation,
      )
      return new Reply(data, { headers: await totalHeader(query, total) })
    },
    listAllConversations: async ({ query, access }) => {
      const { userId, agentId } = query
      const own = access.isLimited ? access.conversations(userId) : { userId }
      const { records, total } = await list(own && { ...own, agentId }, query)
      const readable = await access.readable(records, 'conversation')
      return new Reply(
        readable.map(({ ownerId: _owner, ...conversation }) => conversation),
        { headers: await totalHeader(query, total) },
      )
    },
    listMessages: (request) => messages(named(request), request.query),
    renameConversation: (request) => conversations().rename(...named(request), request.body.title),
    deleteConversation: (request) => remove(named(request)),
    listMemoryConversations: async ({ query, access }) => {
      const agentId = agentIn(query)
      if (agentId !== undefined) await access.to('chat', 'agent', agentId)
      const { userId } = query
      const own = access.isLimited ? access.conversations(userId) : { userId }
      const { records, total } = await list(own && { ...own, agentId }, query)
      const readable = await access.readable(records, 'conversation')
      return { conversations: readable.map(inMemory), total: await total(), ...pageOf(query) }
    },
    createMemoryConversation: async ({ body, user, access }) => {
      const agentId = agentIn(body)
      if (agentId !== undefined) await access.to('chat', 'agent', agentId)
      const { conversationId = services.newId(), userId: claimed, title = '' } = body
      const userId = recordUserId(user, claimed)
      if (userId === NO_USER_ID)
        throw new AppError('invalid_input', 'The authenticated user has no id, and so no conversations')
      const created = await conversations().create(
        { userId, conversationId },
        {
          owner: user ? userKey(user) : null,
          title: title === '' ? null : title,
          createdAt: services.clock.now(),
          agentIds: agentId === undefined ? [] : [agentId],
        },
      )
      return { conversation: inMemory(created) }
    },
    getMemoryConversation: async (request) => {
      const found = await conversations().get(...(await namedInMemory(request)))
      return { conversation: inMemory(found) }
    },
    listMemoryMessages: async (request) => {
      const conversation = await namedInMemory(request)
      const found = await conversations().get(...conversation)
      return { conversation: inMemory(found), messages: await messages(conversation, request.query) }
    },
    updateMemoryConversation: async (request) => {
      const { body, access } = request
      const [agentId, key] = await namedInMemory(request, body)
      // the body may claim the user, too
      await access.toConversation(key.conversationId, request.query.userId ?? body.userId, 'update')
      await conversations().rename(agentId, key, body.title)
      return { conversation: inMemory(await conversations().get(agentId, key)) }
    },
    deleteMemoryConversation: async (request) => remove(await namedInMemory(request)),
  }
}

/** A conversation as VoltAgent's servers return it. */
function inMemory(
  conversation: Conversation & Pick<UserConversation, 'userId' | 'agentIds'>,
): MemoryConversation {
  const { id, title, userId, agentIds, createdAt, updatedAt, messageCount } = conversation
  const [resourceId = ''] = agentIds
  return { id, resourceId, userId, title: title ?? '', metadata: {}, createdAt, updatedAt, messageCount }
}
