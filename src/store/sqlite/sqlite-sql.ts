import { SQLITE } from '../sql/dialect.ts'
import type { Sql, SqlParam, SqlParams, SqlStep, Transaction } from '../sql/sql.ts'
import type { JobTable } from './dispatch/job-table.ts'
import type { Database, SqlValue } from './driver.ts'
import { StatementCache } from './statement-cache.ts'
import { inTransaction } from './transaction.ts'

/** SQLite, which does each statement and each transaction in the turn of the call. */
export class SqliteSql implements Sql {
  readonly dialect = SQLITE
  readonly #database: Database
  readonly #jobs: JobTable
  readonly #statements: StatementCache

  constructor(database: Database, jobs: JobTable) {
    this.#database = database
    this.#jobs = jobs
    this.#statements = new StatementCache(database)
  }

  readonly all = async <Row>(text: string, params: SqlParams = []): Promise<Row[]> =>
    this.#all(text, params) as Row[]

  readonly filtered = this.all

  readonly first = async <Row>(text: string, params: SqlParams = []): Promise<Row | undefined> =>
    this.#all(text, params)[0] as Row | undefined

  readonly run = async (text: string, params: SqlParams = []): Promise<number> => this.#run(text, params)

  async transaction<Result>(work: () => Transaction<Result>): Promise<Result> {
    let result: Result
    try {
      result = inTransaction(this.#database, () => this.#steps(work()))
    } catch (error) {
      this.#jobs.discard()
      throw error
    }
    this.#jobs.committed()
    return result
  }

  #steps<Result>(work: Transaction<Result>): Result {
    let next = work.next()
    while (next.done !== true) next = work.next(this.#step(next.value))
    return next.value
  }

  #step(step: SqlStep): unknown {
    if (step.kind === 'jobs') return this.#jobs.change(step.change)
    return step.kind === 'all' ? this.#all(step.text, step.params) : this.#run(step.text, step.params)
  }

  /** `get` of libsql would add a member to the row. */
  #all(text: string, params: SqlParams): unknown[] {
    return this.#statements.get(text).all(...valuesOf(params))
  }

  #run(text: string, params: SqlParams): number {
    return Number(this.#statements.get(text).run(...valuesOf(params)).changes)
  }
}

function valuesOf(params: SqlParams): readonly SqlValue[] {
  // a loop, as it runs for each statement
  for (const param of params) if (!isValue(param)) return params.map(valueOf)
  return params as readonly SqlValue[]
}

function isValue(param: SqlParam): param is SqlValue {
  return typeof param === 'string' || typeof param === 'number' || param === null
}

function valueOf(param: SqlParam): SqlValue {
  if (isValue(param)) return param
  return typeof param === 'boolean' ? Number(param) : JSON.stringify(param)
}
