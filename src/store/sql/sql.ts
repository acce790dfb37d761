import type { JobChange } from '../dispatcher.ts'
import type { Dialect } from './dialect.ts'

/**
 * A database, for the stores that are written once for all backends. A statement has a `?` for each parameter, and none
 * in its literals. Its text is a constant, since it is prepared once and then found by its text: a string that is made for
 * a call is slow to find.
 *
 * Numbers are below 2^53, in rows too: a sum needs `CAST(… AS bigint)`. Text that is JSON is not parsed. A boolean is 0
 * or 1 in the rows of SQLite. Names of columns with capitals need quotes.
 */
export interface Sql {
  readonly dialect: Dialect
  /** The rows of a query. */
  all<Row>(text: string, params?: SqlParams): Promise<Row[]>
  first<Row>(text: string, params?: SqlParams): Promise<Row | undefined>
  /** The rows of a query whose conditions come from a filter: it is planned for the values. */
  filtered<Row>(text: string, params: SqlParams): Promise<Row[]>
  /** The number of rows that a statement has inserted, changed or deleted. */
  run(text: string, params?: SqlParams): Promise<number>
  /**
   * Runs the steps of a generator in one transaction, which is rolled back when it throws. SQLite runs it in the turn of
   * the call. Where writes wait for a database that is away, it may run again.
   *
   * @example
   * await sql.transaction(function* () {
   *   const [row] = yield* tx.all<{ total: number }>('SELECT total FROM sums WHERE id = ?', [id])
   *   return row !== undefined && (yield* tx.run('UPDATE sums SET total = ? WHERE id = ?', [row.total + 1, id])) > 0
   * })
   */
  transaction<Result>(work: () => Transaction<Result>): Promise<Result>
}

/** An array is for `Dialect.among`. */
export type SqlParam = string | number | boolean | null | readonly string[] | readonly number[]
export type SqlParams = readonly SqlParam[]

/** Work that yields its steps to the database. It must not catch their errors. */
export type Transaction<Result> = Generator<SqlStep, Result, unknown>

/** `all` and `run` as of `Sql`; `jobs` are stored, and their dispatcher is notified after the commit. */
export type SqlStep =
  | { readonly kind: 'all' | 'run'; readonly text: string; readonly params: SqlParams }
  | { readonly kind: 'jobs'; readonly change: JobChange }

/** The steps of a transaction. */
export const tx = {
  *all<Row>(text: string, params: SqlParams = []): Transaction<Row[]> {
    return (yield { kind: 'all', text, params }) as Row[]
  },
  *run(text: string, params: SqlParams = []): Transaction<number> {
    return (yield { kind: 'run', text, params }) as number
  },
  *jobs(change: JobChange): Transaction<void> {
    yield { kind: 'jobs', change }
  },
}
