/** Where the SQL of the backends differs. */
export interface Dialect {
  /** A condition that a column has one of the values of a parameter, which is an array. */
  readonly among: (column: string) => string
  /** The column with the JSON of a user id. */
  readonly userKey: string
  /** The values of a column of a query, in its order, as the text of a JSON array. */
  readonly jsonArray: (column: string, query: string) => string
  /** Ends a query whose rows the transaction is going to change, and no other may. */
  readonly forUpdate: string
  /** Ends a query of rows to delete: those that another process deletes are left out. */
  readonly skipLocked: string
}

export const SQLITE: Dialect = {
  userKey: 'user',
  among: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  jsonArray: (column, query) => `(SELECT json_group_array(${column}) FROM (${query}))`,
  // it has one writer
  forUpdate: '',
  skipLocked: '',
}

export const POSTGRES: Dialect = {
  userKey: 'user_key',
  among: (column) => `${column} = ANY (?)`,
  jsonArray: (column, query) => `(SELECT coalesce(json_agg(${column})::text, '[]') FROM (${query}) AS q)`,
  forUpdate: 'FOR UPDATE',
  skipLocked: 'FOR UPDATE SKIP LOCKED',
}
