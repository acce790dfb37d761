import type { Client, Pool } from 'pg'

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

/** Pools with a purpose, so that none waits for the connections of another. */
export interface Databases {
  /** Changes of executions, agent runs and conversations. */
  readonly writes: PostgresDatabase
  readonly reads: PostgresDatabase
  /** Logs and traces. */
  readonly telemetry: PostgresDatabase
  /** The project's schema, a name that needs no quotes. It is the search path of each query. */
  readonly schema: string
  /**
   * Whether a connection can LISTEN. A pooler such as PgBouncer shares connections between clients, which then poll.
   * `false` until the database has been reached.
   */
  readonly listens: boolean
  /** Opens a connection outside the pools, to LISTEN. Its owner handles `error` and ends it. Rejects where none can. */
  connect(): Promise<Client>
  /** Opens a pool of at most `max` connections, which its caller ends. Queries fail after `responseMs`. */
  createPool(max: number, responseMs?: number): Pool
}
