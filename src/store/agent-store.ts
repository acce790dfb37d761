import type { Usage } from '../contract/agent-event.ts'
import type { AgentRunStatus } from '../contract/endpoints/agent.ts'
import type { AgentApprovalStore } from './agents/agent-approvals.ts'
import type { AgentJournalStore } from './agents/agent-journal.ts'
import type { RunningMessages } from './agents/conversation-store.ts'
import type { Page } from './page.ts'
import type { Retention } from './retention.ts'
import type { ModelCalls } from './usage-store.ts'

/** Storage of agent runs. Values are JSON text; times are milliseconds since the epoch. */
export interface AgentRunStore extends AgentRunRecords, AgentJournalStore, AgentApprovalStore {}

export interface AgentRunRecords {
  /**
   * Stores a new run. With a `continuation`, which is JSON text, another process can continue it. With `runningMessages`, the
   * conversation exists from now on, and has its messages as long as the run has not ended.
   */
  insert(row: AgentRunRow, continuation?: string, runningMessages?: RunningMessages): Promise<void>
  /**
   * Ends a run and appends to its conversation, in one transaction. Returns `false`, and stores nothing, if the run has
   * ended or belongs to another owner.
   */
  finish(id: string, end: AgentRunEnd, runningMessages?: RunningMessages): Promise<boolean>
  /**
   * Ends a run that a caller requested, of whatever owner, without an answer. Returns `false` if it has ended, or was
   * requested by a step or an agent. Its owner sees that in the store.
   */
  abort(id: string, endedAt: number): Promise<boolean>
  /** Newest first. */
  list(filter: AgentRunFilter, page: Page): Promise<readonly AgentRunRow[]>
  count(filter: AgentRunFilter): Promise<number>
  /** What the ended runs of the steps of executions have used, sub-agents included, by the id of the execution. */
  usageOf(executionIds: readonly string[]): Promise<ReadonlyMap<string, Usage>>
  /**
   * Ends running runs of processes that have died, except those that can be continued: these only when what requested
   * them has ended. Returns their number.
   */
  endOrphaned(end: Pick<AgentRunEnd, 'status' | 'endedAt' | 'error'>): Promise<number>
  /** Deletes up to `limit` ended runs that retention does not cover. Returns the number of deleted ones. */
  prune(retention: Retention, limit: number): Promise<number>
}

export interface AgentRunRow {
  readonly id: string
  readonly agentId: string
  readonly status: AgentRunStatus
  readonly ownerEpoch: number
  readonly startedAt: number
  /** Set if and only if the run has ended. */
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
  /** Whose part the run is; `lab` for a trial, and null for the run of another caller. */
  readonly requester: 'step' | 'agent' | 'lab' | null
  /** The execution or the run that it is a part of; null for the run of a caller. */
  readonly parentId: string | null
  /** Unique, by which what requested it finds it again after a crash; null for the run of a caller. */
  readonly requestKey: string | null
  /** When a suspended run ends without an answer. */
  readonly expiresAt: number | null
  /** Why a guardrail blocked it; null when none did. */
  readonly blockedReason: string | null
  /** What it was requested with besides its input: options, with the `schema` of an object. Null for nothing. */
  readonly options: string | null
}

/** The columns that are set when a run ends. */
export interface AgentRunEnd extends Pick<AgentRunRow, 'output' | 'error' | 'usage' | 'steps'> {
  readonly status: Exclude<AgentRunStatus, 'running' | 'suspended'>
  readonly endedAt: number
  /** The model that answered, when it is not the one that the run started with. */
  readonly model?: string | undefined
  /** Why a guardrail blocked it. */
  readonly blockedReason?: string | undefined
  /** Its own model calls since it began, or was last suspended. */
  readonly calls?: readonly ModelCalls[]
}

export interface AgentRunFilter {
  readonly id?: string | undefined
  readonly agentId?: string | undefined
  readonly status?: AgentRunStatus | undefined
  /** `null` selects runs without a user. */
  readonly userId?: string | null | undefined
  readonly conversationId?: string | undefined
  readonly requestKey?: string | undefined
  /** Ended, or started if not ended, at this time or later. */
  readonly changedSince?: number | undefined
}
