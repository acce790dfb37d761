export interface Query {
  readonly text: string
  readonly values?: readonly unknown[]
  /** Name of a prepared statement, for a query whose text never changes. */
  readonly name?: string
}

/** Runs queries one after the other, each in a transaction of its own or in the open one. `bigint` columns are numbers. */
export interface PostgresQueries {
  rows<Row>(query: Query): Promise<Row[]>
  /** The number of rows that the query has inserted, changed or deleted. */
  change(query: Query): Promise<number>
}

/** A pool of connections. */
export interface PostgresDatabase extends PostgresQueries {
  /** Commits when `work` resolves, and rolls back when it rejects. */
  transaction<Result>(work: (tx: PostgresQueries) => Promise<Result>): Promise<Result>
}
