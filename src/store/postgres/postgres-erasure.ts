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
import type { Databases, PostgresQueries } from './connection/database.ts'
import { escapeNul, unescapeNul } from './escape-nul.ts'

const IDS = 'SELECT unnest($1::text[])'
const MILESTONES: ErasureStatement = [
  'milestones',
  `DELETE FROM milestones WHERE execution IN (SELECT number FROM executions WHERE id IN (${IDS}))`,
]

const SQL = erasureStatements({
  ids: IDS,
  parameters: ['$1', '$2'],
  documentsOf: (kind, numbers) => `${kind} IN (${numbers})`,
  member: (column, path) => `${column}::json #>> '{${path.join(',')}}'`,
  ofExecutions: [MILESTONES],
})

interface PostgresErasureDeps {
  readonly databases: Pick<Databases, 'writes'>
  /** Called with the ids of what was deleted. */
  readonly onCommitted: (ids: readonly string[]) => void
}

/** Deletion of records on request in Postgres. */
export class PostgresErasure implements ErasureStore {
  readonly #database: PostgresErasureDeps['databases']['writes']
  readonly #onCommitted: PostgresErasureDeps['onCommitted']

  constructor({ databases, onCommitted }: PostgresErasureDeps) {
    this.#database = databases.writes
    this.#onCommitted = onCommitted
  }

  executions(ids: readonly string[]): Promise<ErasableRecord[]> {
    return this.#records(SQL.executions, stored(ids))
  }

  async parts(ids: readonly string[]): Promise<ErasableRecords> {
    const named = stored(ids)
    return {
      executions: await this.#records(SQL.partExecutions, named),
      runs: await this.#records(SQL.partRuns, named),
    }
  }

  async ofUser(userId: string, limit: number): Promise<ErasableRecords> {
    const id = escapeNul(userId)
    return {
      executions: await this.#records(`${SQL.executionsOfUser}${limit}`, JSON.stringify(userId), id),
      runs: await this.#records(`${SQL.runsOfUser}${limit}`, id),
    }
  }

  async delete({ executions, runs }: RecordIds): Promise<ErasedRows> {
    const rows = await this.#database.transaction(async (tx) =>
      addRows(
        await change(tx, SQL.deleteRuns, stored(runs)),
        await change(tx, SQL.deleteExecutions, stored(executions)),
      ),
    )
    this.#onCommitted([...executions, ...runs])
    return rows
  }

  deleteUser(userId: string): Promise<ErasedRows> {
    return this.#database.transaction(async (tx) =>
      addRows(
        await change(tx, SQL.deleteOfUserKey, JSON.stringify(userId)),
        await change(tx, SQL.deleteOfUserId, userId),
      ),
    )
  }

  /** Autovacuum does it. */
  async purge(): Promise<void> {}

  async #records(text: string, ...values: readonly unknown[]): Promise<ErasableRecord[]> {
    const rows = await this.#database.rows<ErasableRecord>({ text, values })
    return rows.map((row) => ({ ...row, id: unescapeNul(row.id) }))
  }
}

function stored(ids: readonly string[]): readonly string[] {
  return ids.map((id) => escapeNul(id))
}

async function change(
  tx: PostgresQueries,
  statements: readonly ErasureStatement[],
  value: unknown,
): Promise<ErasedRows> {
  let rows: ErasedRows = {}
  for (const [table, text] of statements) {
    const deleted = await tx.change({ text, values: [value] })
    if (deleted > 0) rows = addRows(rows, { [table]: deleted })
  }
  return rows
}
