import type { UserConversation } from '../../../../../contract/endpoints/agents/conversation.ts'
import { textOf } from './chat-message.ts'
import type { Run } from './chat-message.ts'
import { fromInput } from './ui-messages.ts'

/** A conversation in the list. */
export interface Conversation {
  readonly id: string
  /** The first known user message. */
  readonly title: string
  /** Number of its responses, or of its messages if it is stored. */
  readonly size: string
  readonly lastAt: string
  readonly status: Run['status']
  readonly userId: string | null
  /** Whether the server stores it: it can be renamed and deleted. */
  readonly isStored: boolean
}

const MAX_TITLE_LENGTH = 120

/**
 * Stored conversations, and those that only the history of runs has: without a complete response, or of an agent
 * without memory. Newest first, like `stored` and `runs`.
 *
 * @param hasMore whether older conversations are stored than the ones given
 */
export function listedConversations(
  stored: readonly UserConversation[],
  runs: readonly Run[],
  { search, hasMore }: { search: string; hasMore: boolean },
): Conversation[] {
  const fromRuns = new Map(conversationsIn(runs).map((one) => [keyOf(one), one]))
  const listed = stored.map((one): Conversation => {
    const { id, title, updatedAt, messageCount, userId } = one
    const known = fromRuns.get(keyOf(one))
    fromRuns.delete(keyOf(one))
    return {
      id,
      title: title ?? known?.title ?? id,
      size: counted(messageCount, 'message'),
      lastAt: known?.lastAt ?? updatedAt,
      status: known?.status ?? 'completed',
      userId,
      isStored: true,
    }
  })
  const oldest = hasMore ? (stored.at(-1)?.updatedAt ?? '') : ''
  const words = search.toLowerCase().split(/\s+/)
  const others = [...fromRuns.values()].filter(
    ({ title, lastAt }) => lastAt >= oldest && words.every((word) => title.toLowerCase().includes(word)),
  )
  return [...listed, ...others].toSorted((one, other) => Date.parse(other.lastAt) - Date.parse(one.lastAt))
}

/** Users choose the ids of their conversations: two may have the same. */
export function keyOf({ id, userId }: Pick<Conversation, 'id' | 'userId'>): string {
  return JSON.stringify([userId, id])
}

function conversationsIn(runs: readonly Run[]): Conversation[] {
  const byKey = new Map<string, { newest: Run; oldest: Run; count: number }>()
  for (const run of runs) {
    if (run.conversationId === null) continue
    const key = keyOf({ id: run.conversationId, userId: run.userId })
    const known = byKey.get(key)
    byKey.set(key, { newest: known?.newest ?? run, oldest: run, count: (known?.count ?? 0) + 1 })
  }
  return [...byKey.values()].map(({ newest, oldest, count }) => {
    const id = newest.conversationId ?? ''
    return {
      id,
      title: titleOf(oldest) || titleOf(newest) || id,
      size: counted(count, 'response'),
      lastAt: newest.startTime,
      status: newest.status,
      userId: newest.userId,
      isStored: false,
    }
  })
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function titleOf({ input }: Run): string {
  const first = fromInput(input).find(({ role }) => role === 'user')
  return first ? textOf(first).trim().slice(0, MAX_TITLE_LENGTH) : ''
}
