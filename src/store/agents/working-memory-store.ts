import type { Retention } from '../retention.ts'

/** Storage of working memory: a JSON object for each agent and user. */
export interface WorkingMemoryStore {
  get(key: WorkingMemoryKey): Promise<WorkingMemoryRow | undefined>
  /** Stores a value if the row has the expected revision, 0 for none. Returns whether it had. */
  put(key: WorkingMemoryKey, change: WorkingMemoryChange): Promise<boolean>
  /** Notes that it was read; retention counts from the last use. */
  touch(key: WorkingMemoryKey, at: number): Promise<void>
  /** Returns `false` if there was none. */
  delete(key: WorkingMemoryKey): Promise<boolean>
  /** Deletes up to `limit` rows that retention does not cover, by the time of their last use. */
  prune(retention: Retention, limit: number): Promise<number>
}

/** `userId` is null without a user. An id that a caller only claims is in an array. */
export interface WorkingMemoryKey {
  readonly agentId: string
  readonly userId: string | null | readonly [claimed: string]
}

export interface WorkingMemoryRow {
  /** JSON text. */
  readonly value: string
  /** The key of the authenticated user to whom it belongs; null: anyone's. */
  readonly owner: string | null
  /** Counts the changes, from 1. */
  readonly revision: number
  readonly usedAt: number
}

export interface WorkingMemoryChange {
  readonly value: string
  /** Becomes the owner of a row without one. */
  readonly owner: string | null
  /** The revision that the change is based on; 0 without a row. */
  readonly revision: number
  readonly at: number
}
