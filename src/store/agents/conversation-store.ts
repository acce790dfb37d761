import type { Page } from '../page.ts'
import type { Retention } from '../retention.ts'

/** Storage of conversations. Each user has conversations of their own, even with equal ids. */
export interface ConversationStore {
  /** The key of the authenticated user who started a conversation; null without one, or without the conversation. */
  owner(key: ConversationKey): Promise<string | null>
  get(key: ConversationKey): Promise<ConversationRow | undefined>
  /** Creates a conversation without messages; `false` when it exists. */
  create(key: ConversationKey, created: NewConversation): Promise<boolean>
  /** By their last message, newest first. */
  list(filter: ConversationFilter, page: Page): Promise<readonly ConversationRow[]>
  count(filter: ConversationFilter): Promise<number>
  /** The newest messages, in chronological order. */
  messages(key: ConversationKey, limit: number): Promise<readonly string[]>
  /** The rows of the newest whole messages of the API before a number, in chronological order. */
  page(key: ConversationKey, range: MessagePage): Promise<readonly MessageRow[]>
  /** Messages with a number greater than `after`, up to `upTo`, in chronological order. */
  range(key: ConversationKey, range: MessageRange): Promise<readonly MessageRow[]>
  /** The messages of runs that have not ended, oldest first. */
  open(key: ConversationKey): Promise<readonly OpenMessages[]>
  /** `undefined` without the conversation. */
  summary(key: ConversationKey): Promise<SummaryState | undefined>
  /**
   * Whether the caller is to summarise the messages after the number `from`: nobody has since, and no other has claimed
   * them until later than `now`.
   */
  claimSummary(key: ConversationKey, claim: SummaryClaim): Promise<boolean>
  /** Stores a summary, which ends the claim, if the messages that it covers still follow those of the earlier one. */
  summarise(key: ConversationKey, change: SummaryChange): Promise<boolean>
  /** Returns `false` without the conversation. */
  rename(key: ConversationKey, title: string): Promise<boolean>
  /** Deletes a conversation, its messages and its runs; running ones can't end any more. */
  delete(key: ConversationKey): Promise<DeletedConversation | undefined>
  /** Deletes up to `limit` conversations that retention does not cover, by the time of their last message. */
  prune(retention: Retention, limit: number): Promise<number>
}

/** The key of a conversation. `userId` is null without a user. */
export interface ConversationKey {
  readonly userId: string | null
  readonly conversationId: string
}

export interface ConversationRow extends ConversationKey {
  /** The key of the authenticated user who started it. */
  readonly owner: string | null
  readonly title: string | null
  readonly createdAt: number
  readonly updatedAt: number
  /** Number of messages as the API returns them, those of runs in progress included: an answer with its tool calls is one. */
  readonly messageCount: number
  /** The agents that have answered in it. */
  readonly agentIds: readonly string[]
}

/** A conversation that begins without a run. */
export interface NewConversation extends Pick<
  ConversationRow,
  'owner' | 'title' | 'createdAt' | 'agentIds'
> {}

export interface ConversationFilter {
  readonly conversationId?: string | undefined
  /** `null` selects conversations without a user. */
  readonly userId?: string | null | undefined
  /** Only those that no authenticated user has started. */
  readonly ownerless?: boolean | undefined
  readonly agentId?: string | undefined
  /** Words in the title, in any order and case. */
  readonly words?: readonly string[] | undefined
}

export interface MessagePage {
  /** Maximum number of messages of the API; fewer when they are large. */
  readonly limit: number
  /** The number of the message before which the page ends. */
  readonly before?: number | undefined
}

export interface MessageRange {
  readonly after: number
  readonly upTo: number
}

/** A message of a model, as JSON text. */
export interface MessageRow {
  /** The number of the message in its conversation; numbers grow, also when messages are replaced. */
  readonly seq: number
  readonly message: string
  /** Whether a message of the API starts with it. */
  readonly starts: boolean
}

export interface SummaryState {
  /** Text that the store does not interpret. */
  readonly summary: string | null
  /** Number of the last message that the summary covers. */
  readonly summarised: number
  /** Numbers of the first and the last message. */
  readonly first: number
  readonly last: number
}

export interface SummaryChange {
  readonly summary: string
  /** The number up to which messages were summarised before, and are now. */
  readonly from: number
  readonly upTo: number
}

/** The messages that a run adds to a conversation when it ends. */
export interface OpenMessages extends Pick<RunningMessages, 'messages' | 'starts' | 'replace'> {
  readonly runId: string
  /** What the run needs to continue, as JSON text; null when it ends with its process. */
  readonly continuation: string | null
}

/** Times are milliseconds since the epoch. */
export interface SummaryClaim extends Pick<SummaryChange, 'from'> {
  readonly now: number
  /** When others may claim it: the claim of a process that has died ends by itself. */
  readonly until: number
}

/** What was deleted with a conversation. */
export interface DeletedConversation {
  readonly runs: readonly DeletedRun[]
}

export interface DeletedRun {
  readonly id: string
  readonly traceId: string
  /** Whether it had not ended. */
  readonly isOpen: boolean
}

/** The messages that a run adds to a conversation, as JSON text. */
export interface RunningMessages {
  readonly key: ConversationKey
  /** The key of the authenticated user, to whom a new conversation belongs. */
  readonly owner: string | null
  readonly agentId: string
  /** The title of a new conversation. */
  readonly title: string | null
  /** When a new conversation was created. */
  readonly startedAt: number
  readonly messages: readonly string[]
  /** For each message, whether a message of the API starts with it. */
  readonly starts: readonly boolean[]
  /** Whether the messages replace all earlier ones. */
  readonly replace: boolean
  /** The summary that stays valid when messages are replaced: it covers the first `count` new ones. */
  readonly keptSummary?: { readonly summary: string; readonly count: number } | undefined
}

/** Maximum number of messages in a conversation; the oldest are deleted. */
export const MAX_MESSAGES = 1000
