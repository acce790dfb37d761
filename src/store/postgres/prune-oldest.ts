import type { Retention } from '../retention.ts'
import type { PostgresQueries, Query } from './connection/database.ts'

export interface PrunedTable {
  readonly table: string
  /** The column with the time that retention counts from. */
  readonly age: string
  /** SQL condition of the rows that may be deleted. */
  readonly condition: string
}

/**
 * Deletes up to `limit` rows that retention does not cover, the oldest first. Machines that do so at the same time choose
 * the same rows, and one of them deletes these: otherwise each would delete the surplus once.
 *
 * `deletionOf` returns the SQL that deletes the rows of a query of numbers.
 */
export async function pruneOldest(
  database: PostgresQueries,
  { table, age, condition }: PrunedTable,
  { endedBefore, keep, limit }: Retention & { readonly limit: number },
  deletionOf: (numbers: string) => string = (numbers) => `DELETE FROM ${table} WHERE number IN (${numbers})`,
): Promise<number> {
  const candidates = `FROM ${table} WHERE ${condition}`
  const deletion = (name: string, end: string, values: readonly number[]): Query => ({
    name: `prune_${name}_${table}`,
    // the age is compared again where a row has changed since
    text: deletionOf(`SELECT number FROM ${table} WHERE (number, ${age}) IN (
        SELECT number, ${age} ${candidates} ${end}
      ) FOR UPDATE SKIP LOCKED`),
    values,
  })
  const order = `ORDER BY ${age}, number LIMIT`
  const expired = await database.change(
    deletion('expired', `AND ${age} < $1 ${order} $2`, [endedBefore, limit]),
  )
  if (expired > 0) return expired
  const surplus = `least(greatest((SELECT count(*) ${candidates}) - $1, 0), $2)`
  return database.change(deletion('surplus', `${order} ${surplus}`, [keep, limit]))
}
