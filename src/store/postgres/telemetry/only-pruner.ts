import type { PostgresQueries } from '../connection/database.ts'

/** Whether no other machine deletes records of this table now. It holds until the transaction ends. */
export async function isOnlyPruner(tx: PostgresQueries, table: string): Promise<boolean> {
  const [row] = await tx.rows<{ isOnly: boolean }>({
    text: `SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema() || '.${table} pruner', 0)) AS "isOnly"`,
  })
  return row?.isOnly ?? false
}
