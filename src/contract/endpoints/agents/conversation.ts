import { z } from 'zod'
import { endpoints } from '../../endpoint.ts'
import { Id, Instant, JsonObject, PageQuery, WordsQuery, wholeNumber } from '../../fields.ts'

const ConversationId = z.string().min(1).max(256)

/** The user id in the query of a request without an authenticated user. */
export const ClaimedUser = z
  .string()
  .min(1)
  .max(256)
  .optional()
  .describe('Id of the user, for requests without an authenticated user; as `options.userId` of agents')

const AgentParams = z.object({ id: Id.describe('Agent id') })
const ConversationParams = z.object({
  id: Id.describe('Agent id'),
  conversationId: ConversationId.describe('Conversation id'),
})
const UserQuery = z.object({ userId: ClaimedUser })

export const Conversation = z
  .object({
    id: z.string(),
    title: z.string().nullable().describe('Beginning of the first user message, until it is renamed'),
    createdAt: Instant,
    updatedAt: Instant.describe('Time of the last response'),
    messageCount: z.int().describe('Number of messages; a response with its tool calls is one'),
  })
  .meta({ id: 'Conversation' })
export type Conversation = z.infer<typeof Conversation>

export const UserConversation = Conversation.extend({
  userId: z.string().nullable(),
  agentIds: z.array(z.string()).describe('Agents that have responded'),
}).meta({ id: 'UserConversation' })
export type UserConversation = z.infer<typeof UserConversation>

export const UiMessage = z
  .object({
    id: z.string().describe('Number of the message, for `before`'),
    role: z.enum(['user', 'assistant']),
    parts: z.array(z.looseObject({ type: z.string() })),
  })
  .meta({ id: 'UiMessage' })
export type UiMessage = z.infer<typeof UiMessage>

/** A conversation as VoltAgent's servers return it. */
export const MemoryConversation = z
  .object({
    id: z.string(),
    resourceId: z.string().describe('The agent that has answered first; empty without one'),
    userId: z.string().nullable(),
    title: z.string().describe('Empty without one'),
    metadata: JsonObject.describe('Always empty'),
    createdAt: Instant,
    updatedAt: Instant.describe('Time of the last response'),
    messageCount: z.int(),
  })
  .meta({ id: 'MemoryConversation' })
export type MemoryConversation = z.infer<typeof MemoryConversation>

const OneConversation = z.object({ conversation: MemoryConversation })

/** The agent of a request of VoltAgent's clients, where it is optional. */
const OfAgent = {
  agentId: Id.optional().describe('Only a conversation with this agent'),
  resourceId: Id.optional().describe('The same'),
}

const Title = z
  .string()
  .trim()
  .max(200)
  .refine((text) => !/\p{Cc}/u.test(text), 'Must not contain control characters')

/** A title that is not blank. */
const NewTitle = Title.min(1)
  .describe('New title')
  .meta({ pattern: String.raw`\S` })

const NoMetadata = JsonObject.refine(
  (metadata) => Object.keys(metadata).length === 0,
  'Must be empty: conversations have no metadata here',
).meta({ maxProperties: 0 })

const memory = {
  group: 'execution',
  tag: 'Agents',
  params: z.object({ conversationId: ConversationParams.shape.conversationId }),
  query: z.object({ ...OfAgent, userId: ClaimedUser }),
  errors: [400, 404],
} as const

const ListQuery = z.object({
  ...PageQuery.shape,
  search: WordsQuery.optional().describe('Words in the title'),
  userId: ClaimedUser,
})

const conversation = {
  group: 'execution',
  tag: 'Agents',
  params: ConversationParams,
  query: UserQuery,
  errors: [400, 404],
} as const

const MessagesQuery = {
  limit: PageQuery.shape.limit.describe('Maximum number of messages; default 20. Fewer when they are large'),
  before: wholeNumber({ min: 1, max: Number.MAX_SAFE_INTEGER })
    .optional()
    .describe('Only messages before the one with this id'),
}

const Deleted = z.object({ deleted: z.boolean() })

export const conversationEndpoints = endpoints({
  listConversations: {
    method: 'GET',
    path: '/agents/:id/conversations',
    action: 'chat',
    group: 'execution',
    tag: 'Agents',
    summary: "Lists the user's conversations with an agent, newest first",
    params: AgentParams,
    query: ListQuery,
    reply: { kind: 'data', schema: z.array(Conversation), paged: true },
    errors: [400, 404],
  },
  listMessages: {
    ...conversation,
    method: 'GET',
    path: '/agents/:id/conversations/:conversationId/messages',
    action: 'read',
    summary: 'Lists the newest messages of a conversation as UIMessages of the AI SDK, oldest first',
    query: UserQuery.extend(MessagesQuery),
    reply: { kind: 'data', schema: z.array(UiMessage) },
  },
  renameConversation: {
    ...conversation,
    method: 'PATCH',
    path: '/agents/:id/conversations/:conversationId',
    action: 'update',
    summary: 'Renames a conversation',
    body: z.object({
      title: NewTitle,
    }),
    reply: { kind: 'data', schema: Conversation },
    errors: [400, 404, 413, 415],
  },
  deleteConversation: {
    ...conversation,
    method: 'DELETE',
    path: '/agents/:id/conversations/:conversationId',
    action: 'delete',
    summary: 'Deletes a conversation with its messages, its runs, their log records and their spans',
    reply: { kind: 'data', schema: Deleted },
  },
  listMemoryConversations: {
    method: 'GET',
    path: '/api/memory/conversations',
    lists: 'records',
    group: 'execution',
    tag: 'Agents',
    summary: "Lists the user's conversations with all agents, newest first, as VoltAgent's clients read them",
    query: z.object({ ...PageQuery.shape, ...OfAgent, userId: ClaimedUser }),
    reply: {
      kind: 'data',
      schema: z.object({
        conversations: z.array(MemoryConversation),
        total: z.int(),
        limit: z.int(),
        offset: z.int(),
      }),
    },
    errors: [400, 404],
  },
  createMemoryConversation: {
    method: 'POST',
    path: '/api/memory/conversations',
    group: 'execution',
    tag: 'Agents',
    summary: 'Creates a conversation without messages',
    body: z
      .object({
        ...OfAgent,
        conversationId: ConversationId.optional().describe('Default: a new id'),
        userId: ClaimedUser,
        title: Title.optional(),
        metadata: NoMetadata.optional(),
      })
      .meta({ id: 'CreateMemoryConversationBody' }),
    reply: { kind: 'data', schema: OneConversation },
    errors: [400, 404, 409, 413, 415],
  },
  getMemoryConversation: {
    ...memory,
    method: 'GET',
    path: '/api/memory/conversations/:conversationId',
    action: 'read',
    summary: 'Returns a conversation',
    reply: { kind: 'data', schema: OneConversation },
  },
  listMemoryMessages: {
    ...memory,
    method: 'GET',
    path: '/api/memory/conversations/:conversationId/messages',
    action: 'read',
    summary: 'Returns a conversation with its newest messages as UIMessages of the AI SDK, oldest first',
    query: memory.query.extend(MessagesQuery),
    reply: {
      kind: 'data',
      schema: z.object({ conversation: MemoryConversation, messages: z.array(UiMessage) }),
    },
  },
  updateMemoryConversation: {
    ...memory,
    method: 'PATCH',
    path: '/api/memory/conversations/:conversationId',
    action: 'update',
    summary: 'Renames a conversation',
    body: z
      .object({
        ...OfAgent,
        userId: ClaimedUser,
        title: NewTitle,
        metadata: NoMetadata.optional(),
      })
      .meta({ id: 'UpdateMemoryConversationBody' }),
    reply: { kind: 'data', schema: OneConversation },
    errors: [400, 404, 413, 415],
  },
  deleteMemoryConversation: {
    ...memory,
    method: 'DELETE',
    path: '/api/memory/conversations/:conversationId',
    action: 'delete',
    summary: 'Deletes a conversation with its messages, its runs, their log records and their spans',
    reply: { kind: 'data', schema: Deleted },
  },
  listAllConversations: {
    method: 'GET',
    path: '/observability/conversations',
    lists: 'records',
    group: 'observability',
    tag: 'Observability',
    summary: 'Lists the conversations of all users, newest first',
    query: z.object({
      ...ListQuery.shape,
      userId: z.string().optional().describe('Only conversations of this user'),
      agentId: z.string().optional().describe('Only conversations with this agent'),
    }),
    reply: { kind: 'data', schema: z.array(UserConversation), paged: true },
    errors: [400],
  },
})
