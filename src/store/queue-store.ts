/** The owner epoch of executions that wait for a slot: no process has it, so none continues them when one dies. */
export const NOBODY = 0

/** The rate key of executions whose start has been counted: they wait for no rate. */
export const STARTED = '-'

/** The limits of a workflow. `null`: none. */
export interface QueueLimits {
  readonly workflowId: string
  /** How many executions of a key run at the same time. */
  readonly concurrency: number | null
  /** How many executions of a key start in any window of `perMs` milliseconds. */
  readonly rate: { readonly limit: number; readonly perMs: number } | null
}

export type WaitReason = 'concurrency' | 'rate'

/** What an execution waits for. */
export interface QueuePosition {
  readonly reason: WaitReason
  /** Milliseconds since the epoch. */
  readonly since: number
  /** Among those that wait for a slot of the same key, from 1. */
  readonly position: number
}

/** The queue of a workflow with limits. */
export interface QueueState extends QueueLimits {
  /** Executions that have a slot. */
  readonly running: number
  readonly waiting: number
  /** Those that wait, in the order in which they start if no key holds them up. */
  readonly first: readonly QueuedRow[]
}

export interface QueuedRow {
  readonly id: string
  /** The key of the limit: empty without one. */
  readonly concurrencyKey: string
  /** The same of the rate, or `STARTED`. */
  readonly rateKey: string
}

/**
 * The executions of workflows with limits: those that have a slot and those that wait for one. A slot belongs to the
 * execution, not to its machine: one that is continued elsewhere keeps it. Slots are given in the transaction that
 * frees them, with a `continue` job from `NOBODY` for each execution that gets one.
 */
export interface QueueStore {
  /** Stores the limits of the configuration, and gives slots to those that have one now. Workflows that are missing have no limits. */
  configure(limits: readonly QueueLimits[], now: number): Promise<void>
  /** Gives slots that time has freed. */
  admit(workflowId: string, now: number): Promise<void>
  /** Of executions that wait. */
  waiting(ids: readonly string[]): Promise<ReadonlyMap<string, QueuePosition>>
  /** The queues of all workflows with limits, by workflow id, each with at most `limit` of those that wait. */
  list(limit: number): Promise<readonly QueueState[]>
}
