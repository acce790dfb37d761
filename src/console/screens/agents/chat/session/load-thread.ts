import type { Api } from '../../../../api/api.ts'
import { ApiError } from '../../../../../client/api-error.ts'
import type { UiMessage } from '../../../../../contract/endpoints/agents/conversation.ts'
import type { ChatMessage, Run } from './chat-message.ts'
import { threadOfRuns, withStored } from './thread-of-runs.ts'
import { fromInput } from './ui-messages.ts'

/** A conversation of an agent, and the user that it is of, if known. */
export interface ConversationRef {
  readonly api: Api
  readonly agentId: string
  readonly conversationId: string
  readonly userId?: string | undefined
  /** Whether the server stores the conversation. */
  readonly remembers: boolean
}

export interface LoadedThread {
  readonly messages: readonly ChatMessage[]
  readonly newest: Run | undefined
}

const PAGE = 200
const MAX_RUNS = 1000
const MAX_MESSAGES = 1000
/** No user token, none for this user, or nothing stored. */
const UNREADABLE: ReadonlySet<number> = new Set([401, 403, 404])

/** Whether an error says that the caller can't read something, as with the console key alone. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof ApiError && UNREADABLE.has(error.status)
}

/** The messages of a conversation: those that are stored, with the details of the runs in the history. */
export async function loadThread(ref: ConversationRef): Promise<LoadedThread> {
  const runs = await loadRuns(ref)
  const newest = runs.at(-1)
  const userId = ref.userId ?? newest?.userId ?? undefined
  // only complete responses are stored; their runs may have been deleted
  const mayBeStored = runs.length === 0 || runs.some(({ status }) => status === 'completed')
  const stored = mayBeStored ? await storedMessages({ ...ref, userId }) : []
  return { messages: withStored(stored, threadOfRuns(runs)), newest }
}

/** The newest runs of a conversation, oldest first. */
async function loadRuns({ api, agentId, conversationId, userId }: ConversationRef): Promise<Run[]> {
  const runs: Run[] = []
  for (let page = 1; runs.length < MAX_RUNS; page++) {
    const query = { conversationId, page: String(page), limit: String(PAGE) }
    const newer = await api.call('listAgentHistory', { params: { id: agentId }, query })
    const own = newer.filter((run) => userId === undefined || run.userId === userId)
    runs.unshift(...own.toReversed())
    if (newer.length < PAGE) break
  }
  return runs
}

/** The stored messages. None if only the console key is known, which does not open them: then the runs have them. */
async function storedMessages(ref: ConversationRef): Promise<ChatMessage[]> {
  const { api, agentId, conversationId, userId, remembers } = ref
  const messages: UiMessage[] = []
  if (!remembers) return []
  try {
    while (messages.length < MAX_MESSAGES) {
      const older = await api.call('listMessages', {
        params: { id: agentId, conversationId },
        query: { limit: String(PAGE), before: messages[0]?.id, userId },
        quiet: true,
      })
      if (older.length === 0) break
      messages.unshift(...older)
    }
  } catch (error) {
    if (!isUnreadable(error)) throw error
  }
  return fromInput(messages.map((message) => ({ ...message, id: `stored-${message.id}` })))
}
