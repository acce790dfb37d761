import type { AgentRunStatus } from '../contract/endpoints/agent.ts'
import type { Page } from './page.ts'
import type { Retention } from './retention.ts'

/** What agents were asked and answered. Values are JSON text, instants are milliseconds since the epoch. */
export interface AgentRunStore {
  /** Stores a run that begins. */
  insert(row: AgentRunRow): Promise<void>
  /**
   * Ends a run, and adds to its conversation in the same transaction. `false`, with nothing stored, when it does
   * not run any more or another process owns it.
   */
  finish(id: string, end: AgentRunEnd, exchange?: Exchange): Promise<boolean>
  /** Newest first. */
  list(filter: AgentRunFilter, page: Page): Promise<readonly AgentRunRow[]>
  count(filter: AgentRunFilter): Promise<number>
  /** Ends the runs that an earlier owner left running; how many there were. */
  endOrphaned(end: Pick<AgentRunEnd, 'status' | 'endedAt' | 'error'>): Promise<number>
  /** Deletes up to `limit` ended runs that retention no longer covers; how many were deleted. */
  prune(retention: Retention, limit: number): Promise<number>
}

/** What was said in conversations. Those of different users never meet. */
export interface ConversationStore {
  /** The newest messages, oldest of them first. */
  messages(key: ConversationKey, limit: number): Promise<readonly string[]>
  /** Deletes up to `limit` conversations that retention no longer covers, by their last message. */
  prune(retention: Retention, limit: number): Promise<number>
}

export interface AgentRunRow {
  readonly id: string
  readonly agentId: string
  readonly status: AgentRunStatus
  readonly ownerEpoch: number
  readonly startedAt: number
  /** Set when, and only when, it does not run. */
  readonly endedAt: number | null
  readonly userId: string | null
  readonly conversationId: string | null
  readonly traceId: string
  readonly input: string
  readonly output: string | null
  /** A message, not JSON. */
  readonly error: string | null
  /** `provider/model`, not JSON. */
  readonly model: string
  readonly usage: string | null
  readonly steps: string | null
}

/** What is known of a run when it ends. */
export interface AgentRunEnd extends Pick<AgentRunRow, 'output' | 'error' | 'usage' | 'steps'> {
  readonly status: Exclude<AgentRunStatus, 'running'>
  readonly endedAt: number
}

export interface AgentRunFilter {
  readonly id?: string | undefined
  readonly agentId?: string | undefined
  readonly status?: AgentRunStatus | undefined
  /** `null`: those where nobody said who asks. */
  readonly userId?: string | null | undefined
  readonly conversationId?: string | undefined
  /** Begun, or ended where they have, at this instant or later. */
  readonly changedSince?: number | undefined
}

/** `userId` is null where nobody said who asks. */
export interface ConversationKey {
  readonly userId: string | null
  readonly conversationId: string
}

/** What an answer adds to a conversation. Messages are JSON text. */
export interface Exchange {
  readonly key: ConversationKey
  readonly messages: readonly string[]
  /** The messages take the place of all that was there. */
  readonly replace: boolean
}

/** Messages that a conversation keeps; the oldest go. */
export const MAX_MESSAGES = 1000
