import { RunAborted, StoreFailure } from '../run/errors.ts'

/**
 * The store's reply to a commit. `refused`: the id of the new execution is in use. `full`: too many
 * executions wait for this one to wait, too. `fenced`: the execution has
 * another status or owner than this process knows.
 */
export type Commit = 'stored' | 'refused' | 'full' | 'fenced' | StoreFailure

/** Throws when the changes are not stored, or the execution has another owner. */
export function requireStored(commit: Commit): void {
  if (!isStored(commit)) throw new RunAborted('fenced', 'The execution has another owner')
}

/**
 * Whether the changes are stored.
 *
 * @throws StoreFailure when the store failed, as opposed to refused.
 */
export function isStored(commit: Commit): boolean {
  if (commit instanceof StoreFailure) throw commit
  return commit === 'stored'
}
