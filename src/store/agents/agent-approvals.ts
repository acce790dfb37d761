import type { JobChange } from '../dispatcher.ts'
import type { Page } from '../page.ts'
import type { ModelCalls } from '../usage-store.ts'

/** Runs that wait for people and clients. */
export interface AgentApprovalStore {
  /**
   * Suspends a run until its approvals are decided. Returns `false`, and stores nothing,
   * if the run has ended or belongs to another owner.
   */
  suspend(id: string, suspension: RunSuspension, jobs?: JobChange): Promise<boolean>
  /**
   * Decides approvals of a suspended run. With the last one this process becomes the owner of the run, which is
   * `running` again. `refused`, and nothing is stored, unless all of them are pending and the run has not expired.
   */
  decide(id: string, decisions: readonly ApprovalDecision[], options: DecideOptions): Promise<DecisionResult>
  /** Ends a suspended run whose time has come. `false` if it is not suspended, or its time has not come. */
  expire(id: string, end: { readonly endedAt: number; readonly error: string }): Promise<boolean>
  /** Oldest first. Pending ones belong to suspended runs; those that were decided are kept as long as their run. */
  approvals(filter: ApprovalFilter, page: Page): Promise<readonly ApprovalRow[]>
  countApprovals(filter: ApprovalFilter): Promise<number>
}

export interface RunSuspension {
  /** What is needed to continue it, as JSON text. */
  readonly continuation: string
  readonly approvals: readonly NewApproval[]
  readonly suspendedAt: number
  readonly expiresAt: number
  /** JSON text, as when a run ends. */
  readonly output: string | null
  readonly usage: string | null
  readonly steps: string | null
  readonly calls?: readonly ModelCalls[]
}

/** What is waited for: a decision about a call, the output of a client's tool, or an answer for an MCP server. */
export type ApprovalKind = 'tool' | 'client-tool' | 'elicitation'

export interface NewApproval {
  /** Unique among all runs. */
  readonly id: string
  readonly kind: ApprovalKind
  readonly toolCallId: string
  readonly toolName: string
  /** JSON text. */
  readonly input: string
}

export interface ApprovalDecision {
  readonly id: string
  /** JSON text. */
  readonly decision: string
}

export interface DecideOptions {
  readonly decidedAt: number
  /** Stored with the last decision. */
  readonly jobs?: JobChange
}

/** `waiting`: further approvals of the run are pending. */
export type DecisionResult = 'claimed' | 'waiting' | 'refused'

export interface ApprovalRow extends NewApproval {
  readonly createdAt: number
  readonly decidedAt: number | null
  /** JSON text. */
  readonly decision: string | null
  readonly runId: string
  readonly agentId: string
  readonly userId: string | null
  readonly conversationId: string | null
  readonly traceId: string
  /** When the run expires; null if it is not suspended. */
  readonly expiresAt: number | null
}

export interface ApprovalFilter {
  readonly id?: string | undefined
  readonly runId?: string | undefined
  /** The ids of runs, a JSON array. */
  readonly runIds?: string | undefined
  readonly agentId?: string | undefined
  /** `null` selects those of runs without a user. */
  readonly userId?: string | null | undefined
  readonly conversationId?: string | undefined
  readonly isPending?: true | undefined
  /** Those that a person can decide apart from the run: not outputs of clients' tools, and not in the run of a step. */
  readonly isForPeople?: true | undefined
}
