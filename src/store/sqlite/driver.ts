import { createRequire } from 'node:module'
import { AppError } from '../../lib/errors.ts'

export type SqlValue = string | number | null

export interface Statement {
  run(...values: SqlValue[]): { readonly changes: number | bigint }
  get(...values: SqlValue[]): unknown
  all(...values: SqlValue[]): unknown[]
}

/** The common interface of `node:sqlite` and `libsql`. */
export interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

export interface OpenOptions {
  readonly readOnly?: boolean
}

export type DriverName = 'node:sqlite' | 'libsql'

/** `node:sqlite` from Node 22.13 on, where it needs no flag; otherwise `libsql`. */
export function preferredDriver(version = process.versions.node): DriverName {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 13) ? 'node:sqlite' : 'libsql'
}

/** Opens a database file, or `:memory:`. */
export function openDatabase(file: string, options: OpenOptions = {}, driver = preferredDriver()): Database {
  const { readOnly = false } = options
  if (driver === 'node:sqlite') {
    const { DatabaseSync } = loadBuiltIn()
    return new DatabaseSync(file, { readOnly })
  }
  const Libsql = loadLibsql()
  return new LibsqlDatabase(new Libsql(file, { readonly: readOnly }))
}

/** Adapter that passes values to libsql as an array, which is faster than single arguments. */
class LibsqlDatabase implements Database {
  readonly #database: Libsql

  constructor(database: Libsql) {
    this.#database = database
  }

  exec(sql: string): void {
    this.#database.exec(sql)
  }

  prepare(sql: string): Statement {
    const statement = this.#database.prepare(sql)
    return {
      run: (...values) => statement.run(values),
      get: (...values) => statement.get(values),
      all: (...values) => statement.all(values),
    }
  }

  close(): void {
    this.#database.close()
  }
}

interface Libsql extends Omit<Database, 'prepare'> {
  prepare(sql: string): {
    run(values: readonly SqlValue[]): ReturnType<Statement['run']>
    get(values: readonly SqlValue[]): unknown
    all(values: readonly SqlValue[]): unknown[]
  }
}

const load = createRequire(import.meta.url)

function loadBuiltIn(): { DatabaseSync: new (file: string, options: { readOnly: boolean }) => Database } {
  // hides Node 22's ExperimentalWarning, which users can't act on
  const emitWarning = process.emitWarning.bind(process)
  process.emitWarning = () => undefined
  try {
    return load('node:sqlite') as ReturnType<typeof loadBuiltIn>
  } finally {
    process.emitWarning = emitWarning
  }
}

function loadLibsql(): new (file: string, options: { readonly: boolean }) => Libsql {
  try {
    return load('libsql') as ReturnType<typeof loadLibsql>
  } catch (cause) {
    throw new AppError('unavailable', 'The SQLite driver "libsql" is not installed', {
      cause,
      hint: `Node ${process.versions.node} has no usable built-in driver: run "npm install libsql", or use Node 22.13 or later`,
    })
  }
}
