import { setImmediate as nextTurn } from 'node:timers/promises'
import { addRows } from '../erasure-store.ts'
import type {
  ErasableRecord,
  ErasableRecords,
  ErasedRows,
  ErasureStore,
  RecordIds,
} from '../erasure-store.ts'
import { erasureStatements } from '../rows/erasure-statements.ts'
import type { ErasureStatement } from '../rows/erasure-statements.ts'
import type { Database, SqlValue } from './driver.ts'
import type { DeletedWords } from './search/sqlite-search.ts'
import { StatementCache } from './statement-cache.ts'
import { inTransaction } from './transaction.ts'

const IDS = 'SELECT value FROM json_each(?1)'

const SQL = erasureStatements({
  ids: IDS,
  parameters: ['?1', '?2'],
  documentsOf: (kind, numbers) => `kind = ${kind === 'execution' ? 0 : 1} AND record IN (${numbers})`,
  member: (column, path) => `CAST(${column} ->> '$.${path.join('.')}' AS TEXT)`,
  // numbers of milestones are not used again
  ofExecutions: [
    [
      '',
      `UPDATE owner SET pruned_milestone = max(pruned_milestone, coalesce((SELECT max(milestone) FROM journal
         WHERE milestone IS NOT NULL AND execution IN (SELECT number FROM executions WHERE id IN (${IDS}))), 0))`,
    ],
  ],
})

/** Deletion of records on request in SQLite. */
export class SqliteErasure implements ErasureStore {
  readonly #database: Database
  readonly #statements: StatementCache
  readonly #index: DeletedWords

  constructor(database: Database, index: DeletedWords) {
    this.#database = database
    this.#statements = new StatementCache(database)
    this.#index = index
  }

  async executions(ids: readonly string[]): Promise<ErasableRecord[]> {
    return this.#records(SQL.executions, JSON.stringify(ids))
  }

  async parts(ids: readonly string[]): Promise<ErasableRecords> {
    const named = JSON.stringify(ids)
    return {
      executions: this.#records(SQL.partExecutions, named),
      runs: this.#records(SQL.partRuns, named),
    }
  }

  async ofUser(userId: string, limit: number): Promise<ErasableRecords> {
    return {
      executions: this.#records(`${SQL.executionsOfUser}${limit}`, JSON.stringify(userId), userId),
      runs: this.#records(`${SQL.runsOfUser}${limit}`, userId),
    }
  }

  async delete({ executions, runs }: RecordIds): Promise<ErasedRows> {
    return inTransaction(this.#database, () =>
      addRows(
        this.#run(SQL.deleteRuns, JSON.stringify(runs)),
        this.#run(SQL.deleteExecutions, JSON.stringify(executions)),
      ),
    )
  }

  async deleteUser(userId: string): Promise<ErasedRows> {
    return inTransaction(this.#database, () =>
      addRows(this.#run(SQL.deleteOfUserKey, JSON.stringify(userId)), this.#run(SQL.deleteOfUserId, userId)),
    )
  }

  async purge(): Promise<void> {
    for (let isMerging = this.#index.mergeDeleted(true); isMerging;) {
      await nextTurn()
      isMerging = this.#index.mergeDeleted(false)
    }
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  }

  #records(sql: string, ...values: SqlValue[]): ErasableRecord[] {
    const rows = this.#statements.get(sql).all(...values) as (Omit<ErasableRecord, 'isOpen'> & {
      readonly isOpen: number
    })[]
    return rows.map((row) => ({ ...row, isOpen: row.isOpen === 1 }))
  }

  #run(statements: readonly ErasureStatement[], ...values: SqlValue[]): ErasedRows {
    let rows: ErasedRows = {}
    for (const [table, sql] of statements) {
      const deleted = Number(this.#statements.get(sql).run(...values).changes)
      if (table !== '' && deleted > 0) rows = addRows(rows, { [table]: deleted })
    }
    return rows
  }
}
