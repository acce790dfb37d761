import { createHash } from 'node:crypto'
import { POSTGRES } from '../sql/dialect.ts'
import type { Sql, SqlParam, SqlParams, SqlStep, Transaction } from '../sql/sql.ts'
import type { PostgresDatabase, PostgresQueries, Query } from './connection/database.ts'
import { RepeatedWrites } from './connection/repeated-writes.ts'
import { escapeNul, unescapeNul } from './escape-nul.ts'
import type { JobWriter } from './executions/job-writer.ts'

export interface PostgresSqlOptions {
  readonly reads: PostgresDatabase
  readonly writes: PostgresDatabase
  readonly jobs: JobWriter
  /** Writes wait for a database that can't be reached, until this aborts. Default: they fail at once. */
  readonly closing?: AbortSignal
}

/** Postgres: a transaction has a connection for itself. NUL in text is escaped, and restored in rows. */
export class PostgresSql implements Sql {
  readonly dialect = POSTGRES
  readonly #reads: PostgresDatabase
  readonly #writes: PostgresDatabase
  readonly #jobs: JobWriter
  readonly #repeated: RepeatedWrites | undefined
  readonly #prepared = new Map<string, Pick<Query, 'text' | 'name'>>()

  constructor({ reads, writes, jobs, closing }: PostgresSqlOptions) {
    this.#reads = reads
    this.#writes = writes
    this.#jobs = jobs
    this.#repeated = closing && new RepeatedWrites(closing)
  }

  readonly all = <Row>(text: string, params: SqlParams = []): Promise<Row[]> =>
    this.#all<Row>(this.#reads, this.#query(text, params))

  readonly first = async <Row>(text: string, params: SqlParams = []): Promise<Row | undefined> => {
    const [row] = await this.all<Row>(text, params)
    return row
  }

  readonly filtered = <Row>(text: string, params: SqlParams): Promise<Row[]> =>
    this.#all<Row>(this.#reads, { text: numberParameters(text), values: params.map(storable) })

  readonly run = (text: string, params: SqlParams = []): Promise<number> =>
    this.#write(() => this.#writes.change(this.#query(text, params)))

  transaction<Result>(work: () => Transaction<Result>): Promise<Result> {
    return this.#write(() => this.#writes.transaction((queries) => this.#steps(queries, work())))
  }

  #write<Result>(write: () => Promise<Result>): Promise<Result> {
    return this.#repeated ? this.#repeated.run(write) : write()
  }

  async #steps<Result>(queries: PostgresQueries, work: Transaction<Result>): Promise<Result> {
    let next = work.next()
    while (next.done !== true) next = work.next(await this.#step(queries, next.value))
    return next.value
  }

  async #step(queries: PostgresQueries, step: SqlStep): Promise<unknown> {
    if (step.kind !== 'jobs') {
      const query = this.#query(step.text, step.params)
      return step.kind === 'all' ? this.#all(queries, query) : queries.change(query)
    }
    const { add = [], drop = [] } = step.change
    if (drop.length > 0) await this.#jobs.drop(queries, drop)
    if (add.length > 0) await this.#jobs.add(queries, add)
    return undefined
  }

  async #all<Row>(queries: PostgresQueries, query: Query): Promise<Row[]> {
    const rows = await queries.rows<Row & Record<string, unknown>>(query)
    for (const row of rows) restore(row)
    return rows
  }

  /** Named by its text, as the sessions that prepare it are shared. */
  #query(text: string, params: SqlParams): Query {
    let prepared = this.#prepared.get(text)
    if (!prepared) {
      prepared = { text: numberParameters(text), name: createHash('sha1').update(text).digest('hex') }
      this.#prepared.set(text, prepared)
    }
    return { ...prepared, values: params.map(storable) }
  }
}

function storable(param: SqlParam): unknown {
  if (typeof param === 'string') return escapeNul(param)
  return Array.isArray(param) ? param.map(storable) : param
}

function restore(row: Record<string, unknown>): void {
  for (const key in row) {
    const value = row[key]
    if (typeof value === 'string') row[key] = unescapeNul(value)
  }
}

/** Numbers the `?` of a text, which must have none in literals: Postgres calls them `$1`, `$2`… */
function numberParameters(text: string): string {
  let count = 0
  return text.replaceAll('?', () => `$${++count}`)
}
