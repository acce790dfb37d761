import { startsOf, toUiMessages } from '../../agent/conversation/to-ui-messages.ts'
import type {
  Conversation,
  UiMessage,
  UserConversation,
} from '../../contract/endpoints/agents/conversation.ts'
import { idOfKey } from '../../contract/access/user-key.ts'
import { toIso } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type {
  ConversationFilter,
  ConversationKey,
  ConversationRow,
  ConversationStore,
  DeletedConversation,
  MessagePage,
  MessageRow,
  NewConversation,
  OpenMessages,
} from '../../store/agents/conversation-store.ts'
import type { Page } from '../../store/page.ts'
import type { Continuation } from '../agents/continuation.ts'
import { decodeStored } from '../record/values.ts'

interface StoredConversationsDeps {
  readonly store: { readonly conversations: ConversationStore }
  /** Stops a run whose row was deleted if it runs here, and waits until it has ended. */
  readonly stop: (runId: string) => Promise<boolean>
}

/** A conversation with the id of the authenticated user to whom it belongs. */
interface OwnedConversation extends UserConversation {
  readonly ownerId: string | undefined
}

/** Reads, creates, renames and deletes conversations. Without an agent, those with any. */
export class StoredConversations {
  readonly #store: ConversationStore
  readonly #stop: StoredConversationsDeps['stop']

  constructor({ store, stop }: StoredConversationsDeps) {
    this.#store = store.conversations
    this.#stop = stop
  }

  /** The key of the authenticated user to whom a conversation belongs; null: anyone's. */
  owner(key: ConversationKey): Promise<string | null> {
    return this.#store.owner(key)
  }

  async list(filter: ConversationFilter, page: Page): Promise<OwnedConversation[]> {
    const rows = await this.#store.list(filter, page)
    return rows.map(ownedOf)
  }

  /** The conversation of a key, if it is one with the agent. */
  async get(agentId: string | undefined, key: ConversationKey): Promise<OwnedConversation> {
    return ownedOf(await this.#find(agentId, key))
  }

  /**
   * Creates a conversation without messages.
   *
   * @param created with the key of the authenticated user to whom it belongs, if any
   * @throws AppError `conflict` when it exists.
   */
  async create(key: ConversationKey, created: NewConversation): Promise<OwnedConversation> {
    if (!(await this.#store.create(key, created)))
      throw new AppError('conflict', `Conversation ${key.conversationId} exists already`)
    return ownedOf(await this.#find(undefined, key))
  }

  count(filter: ConversationFilter): Promise<number> {
    return this.#store.count(filter)
  }

  /**
   * The newest messages, in chronological order.
   *
   * @throws AppError `not_found`
   */
  async messages(agentId: string | undefined, key: ConversationKey, page: MessagePage): Promise<UiMessage[]> {
    await this.#find(agentId, key)
    const stored = await this.#store.page(key, page)
    const rows = page.before === undefined ? withOpen(stored, await this.#store.open(key)) : stored
    const messages = toUiMessages(
      rows.map((row) => ({ ...row, message: decodeStored(row.message, undefined) })),
    )
    return messages.slice(-page.limit)
  }

  /** @throws AppError `not_found` */
  async rename(agentId: string | undefined, key: ConversationKey, title: string): Promise<Conversation> {
    await this.#find(agentId, key)
    await this.#store.rename(key, title)
    return conversationOf(await this.#find(agentId, key))
  }

  /**
   * Deletes a conversation with its messages and runs. Answers in progress are aborted and not stored.
   *
   * @throws AppError `not_found`
   */
  async delete(agentId: string | undefined, key: ConversationKey): Promise<DeletedConversation> {
    await this.#find(agentId, key)
    const deleted = await this.#store.delete(key)
    if (!deleted) throw unknown(key)
    await Promise.all(deleted.runs.filter(({ isOpen }) => isOpen).map(({ id }) => this.#stop(id)))
    return deleted
  }

  async #find(agentId: string | undefined, key: ConversationKey): Promise<ConversationRow> {
    const row = await this.#store.get(key)
    if (!row || (agentId !== undefined && !row.agentIds.includes(agentId))) throw unknown(key)
    return row
  }
}

/** Stored messages, and those of runs that have not ended, with what they have answered before they waited. */
function withOpen(stored: readonly MessageRow[], open: readonly OpenMessages[]): readonly MessageRow[] {
  let rows = [...stored]
  for (const { messages, starts, replace, continuation } of open) {
    const { waiting } = decodeStored<Partial<Continuation>>(continuation ?? '{}', {})
    const answered = waiting?.messages ?? []
    const added = [...messages, ...answered.map((message) => JSON.stringify(message))]
    const isStart = [...starts, ...startsOf(answered)]
    const last = rows.at(-1)?.seq ?? 0
    const numbered = added.map((message, index) => ({
      seq: last + 1 + index,
      message,
      starts: isStart[index] === true,
    }))
    rows = [...(replace ? [] : rows), ...numbered]
  }
  return rows
}

function unknown({ conversationId }: ConversationKey): AppError {
  return new AppError('not_found', `Conversation not found: ${conversationId}`)
}

function ownedOf(row: ConversationRow): OwnedConversation {
  const { userId, agentIds, owner } = row
  const ownerId = owner === null ? undefined : idOfKey(owner)
  return { ...conversationOf(row), userId, agentIds: [...agentIds], ownerId }
}

function conversationOf(row: ConversationRow): Conversation {
  const { conversationId: id, title, createdAt, updatedAt, messageCount } = row
  return { id, title, createdAt: toIso(createdAt), updatedAt: toIso(updatedAt), messageCount }
}
