import type { Pool, PoolClient, QueryResult } from 'pg'
import { AppError } from '../../../lib/errors.ts'
import {
  isConnectionError,
  isPoolTimeout,
  isTimeout,
  publicProblem,
  unavailable,
} from './connection-error.ts'
import type { PostgresDatabase, PostgresQueries, Query } from './database.ts'
import type { PostgresHealth } from './postgres-health.ts'

export interface PoolDatabaseDeps {
  readonly health: PostgresHealth
  /** Name and host of the database, for messages. */
  readonly place: string
  /** Undefined until the database has been reached. */
  readonly pool: () => OpenPool | undefined
}

export interface OpenPool {
  readonly pool: Pool
  /** Whether a statement can be prepared once in a session, and used again later. */
  readonly prepares: boolean
  /** SQL that each transaction begins with, where each transaction may have another session; otherwise empty. */
  readonly settings: string
}

/** A pool of connections whose failures are translated and reported. */
export class PoolDatabase implements PostgresDatabase {
  readonly #deps: PoolDatabaseDeps

  constructor(deps: PoolDatabaseDeps) {
    this.#deps = deps
  }

  async rows<Row>(query: Query): Promise<Row[]> {
    return (await this.#single(query)).rows as Row[]
  }

  async change(query: Query): Promise<number> {
    return (await this.#single(query)).rowCount ?? 0
  }

  async transaction<Result>(work: (tx: PostgresQueries) => Promise<Result>): Promise<Result> {
    return this.#transaction((run) =>
      work({
        rows: async <Row>(query: Query) => (await run(query)).rows as Row[],
        change: async (query) => (await run(query)).rowCount ?? 0,
      }),
    )
  }

  #single(query: Query): Promise<QueryResult> {
    if (this.#deps.pool()?.settings === '') return this.#connected((run) => run(query))
    return this.#transaction((run) => run(query))
  }

  #transaction<Result>(work: (run: Run) => Promise<Result>): Promise<Result> {
    return this.#connected(async (run, { settings }) => {
      await run({ text: `BEGIN;${settings}` })
      try {
        const result = await work(run)
        await run({ text: 'COMMIT' })
        return result
      } catch (error) {
        if (!isConnectionError(error)) await run({ text: 'ROLLBACK' })
        throw error
      }
    })
  }

  async #connected<Result>(work: (run: Run, open: OpenPool) => Promise<Result>): Promise<Result> {
    const { client, open } = await this.#acquire()
    let broken = false
    try {
      return await work((query) => runQuery(client, query, open), open)
    } catch (error) {
      broken = isConnectionError(error)
      throw broken ? this.#failed(error) : translated(error)
    } finally {
      client.release(broken)
    }
  }

  async #acquire(): Promise<{ client: PoolClient; open: OpenPool }> {
    this.#deps.health.require()
    const open = this.#deps.pool()
    if (!open) throw new AppError('unavailable', 'The database is not open')
    try {
      return { client: await open.pool.connect(), open }
    } catch (error) {
      throw isPoolTimeout(error) ? this.#busy(error) : this.#failed(error)
    }
  }

  #failed(error: unknown): AppError {
    const problem = unavailable(this.#deps.place, error)
    this.#deps.health.failed(problem)
    return publicProblem(problem)
  }

  #busy(cause: unknown): AppError {
    this.#deps.health.suspect()
    return new AppError('unavailable', 'All connections to the database are in use', {
      cause,
      hint: 'Raise ?pool= in the URL, if the server allows more connections',
    })
  }
}

type Run = (query: Query) => Promise<QueryResult>

function runQuery(
  client: PoolClient,
  { text, values, name }: Query,
  { prepares }: OpenPool,
): Promise<QueryResult> {
  return client.query({
    text,
    ...(values && { values: [...values] }),
    ...(name !== undefined && prepares && { name }),
  })
}

function translated(error: unknown): unknown {
  if (!isTimeout(error)) return error
  return new AppError('unavailable', 'The database took too long to respond', { cause: error })
}
