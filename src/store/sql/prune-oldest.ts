import type { Retention } from '../retention.ts'
import type { Sql } from './sql.ts'

export interface AgedTable {
  readonly table: string
  /** The column with the time that retention counts from. */
  readonly age: string
  /** SQL condition of the rows that may be deleted. Default: all. */
  readonly condition?: string
  /** SQL that deletes the rows of a query of numbers. Default: of this table alone. */
  readonly deletionOf?: (numbers: string) => string
}

/**
 * A function that deletes up to `limit` rows that retention does not cover, the oldest first, and returns their number.
 * Processes that do so at the same time choose the same rows, and one of them deletes these: otherwise each would delete
 * the surplus once.
 */
export function pruneOldestOf(
  sql: Sql,
  {
    table,
    age,
    condition,
    deletionOf = (numbers) => `DELETE FROM ${table} WHERE number IN (${numbers})`,
  }: AgedTable,
): (retention: Retention, limit: number) => Promise<number> {
  const { skipLocked } = sql.dialect
  const candidates = `FROM ${table}${condition === undefined ? '' : ` WHERE ${condition}`}`
  const oldest = `ORDER BY ${age}, number LIMIT`
  const deletion = (end: string) => {
    const rows = (columns: string) => `SELECT ${columns} ${candidates} ${end}`
    // the age is compared again where a row has changed since
    const locked = `SELECT number FROM ${table} WHERE (number, ${age}) IN (${rows(`number, ${age}`)}) ${skipLocked}`
    return deletionOf(skipLocked === '' ? rows('number') : locked)
  }
  const expire = deletion(`${condition === undefined ? 'WHERE' : 'AND'} ${age} < ? ${oldest} ?`)
  const surplus = `SELECT CASE WHEN n <= 0 THEN 0 WHEN n < ? THEN n ELSE ? END FROM (SELECT count(*) - ? AS n ${candidates}) AS c`
  const deleteSurplus = deletion(`${oldest} (${surplus})`)
  const count = `SELECT count(*) AS total ${candidates}`
  return async ({ endedBefore, keep }, limit) => {
    const expired = await sql.run(expire, [endedBefore, limit])
    if (expired > 0) return expired
    const { total } = (await sql.first<{ total: number }>(count)) as { total: number }
    return total > keep ? sql.run(deleteSurplus, [limit, limit, keep]) : 0
  }
}
