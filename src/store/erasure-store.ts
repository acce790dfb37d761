/**
 * Deletion of records on request, with all that belongs to them. Logs and traces, which may be in another database, are
 * deleted by their own stores.
 */
export interface ErasureStore {
  /** Executions by their ids; those that don't exist are missing. */
  executions(ids: readonly string[]): Promise<readonly ErasableRecord[]>
  /** The executions and agent runs that these executions and runs have requested, without those that these have. */
  parts(ids: readonly string[]): Promise<ErasableRecords>
  /** Up to `limit` executions, and agent runs, that a user started or that belong to the user. */
  ofUser(userId: string, limit: number): Promise<ErasableRecords>
  /**
   * Deletes executions and agent runs with their values, events, journals, approvals and search documents, in one
   * transaction.
   */
  delete(records: RecordIds): Promise<ErasedRows>
  /** Deletes the conversations, the working memory and the sent events of a user, and the user from other records. */
  deleteUser(userId: string): Promise<ErasedRows>
  /**
   * Removes what deletions leave where it can't be read any more, such as words in the search index, a part at a time.
   * Resolves when nothing is left.
   */
  purge(): Promise<void>
}

export interface ErasableRecord {
  readonly id: string
  readonly traceId: string
  /** It has not ended. */
  readonly isOpen: boolean
}

export interface ErasableRecords {
  readonly executions: readonly ErasableRecord[]
  readonly runs: readonly ErasableRecord[]
}

export interface RecordIds {
  readonly executions: readonly string[]
  readonly runs: readonly string[]
}

/** How many rows were deleted, by the name of the table. */
export type ErasedRows = Readonly<Record<string, number>>

/** The sum of both. */
export function addRows(a: ErasedRows, b: ErasedRows): ErasedRows {
  const sum: Record<string, number> = { ...a }
  for (const [table, rows] of Object.entries(b)) sum[table] = (sum[table] ?? 0) + rows
  return sum
}
