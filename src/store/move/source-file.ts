import { NOBODY } from '../queue-store.ts'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { AppError } from '../../lib/errors.ts'
import type { Job, ScheduledJob } from '../dispatcher.ts'
import { SQLITE } from '../sql/dialect.ts'
import { openDatabase, preferredDriver } from '../sqlite/driver.ts'
import type { Database, SqlValue } from '../sqlite/driver.ts'
import { lockDatabase } from '../sqlite/file-lock.ts'
import type { FileLock } from '../sqlite/file-lock.ts'
import { databaseError } from '../sqlite/health/database-error.ts'
import { migrate, requireKnownVersion, SCHEMA_VERSION } from '../sqlite/migrations/migrate.ts'
import type { MovedRow, MovedTable } from './moved-tables.ts'

/** A batch has at most this many keys, and about this many bytes. */
const MAX_KEYS = 1000
const MAX_BYTES = 4_000_000

/** A file changes only while a server or a command has its lock, and each of them raises the epoch. */
const FINGERPRINT = `SELECT json_array(
    (SELECT epoch FROM owner), (SELECT pruned_milestone FROM owner),
    (SELECT count(*) FROM executions), (SELECT max(number) FROM executions), (SELECT min(id) FROM executions),
    (SELECT max(number) FROM journal), (SELECT max(number) FROM agent_runs), (SELECT max(id) FROM agent_runs),
    (SELECT max(number) FROM conversations), (SELECT min(id) FROM logs), (SELECT max(id) FROM logs),
    (SELECT max(number) FROM traces)
  ) AS text`

export interface MovedBatch {
  readonly rows: readonly MovedRow[]
  /** The key of the last row: the next batch begins after it. */
  readonly position: number
}

/** A SQLite database that no server uses, and none can use until it is closed. */
export class SourceFile {
  readonly #database: Database
  readonly #lock: FileLock
  /** The version of its schema, if that was not the one of this release. */
  readonly migratedFrom: number | undefined

  private constructor(database: Database, lock: FileLock, version: number) {
    this.#database = database
    this.#lock = lock
    this.migratedFrom = version === SCHEMA_VERSION ? undefined : version
  }

  /**
   * Opens a file, and brings its schema to this release.
   *
   * @throws AppError `database_locked` if a process uses it, `invalid_input` if it is none of ours, and `unavailable` if it
   * is of a later release, or from before the first one.
   */
  static open(file: string): SourceFile {
    if (!existsSync(file))
      throw new AppError('invalid_input', `The database ${file} does not exist`, {
        hint: 'Pass the file of `database` in the configuration, by default --from file:.agentserver/data.db',
      })
    const lock = lockDatabase(file, preferredDriver())
    let database: Database | undefined
    try {
      database = openDatabase(file)
      requireHistory(database, file)
      const version = requireKnownVersion(database, `The database ${file}`)
      migrate(database)
      database.exec('PRAGMA query_only = ON')
      return new SourceFile(database, lock, version)
    } catch (error) {
      database?.close()
      lock.release()
      throw databaseError(error, `The database ${file}`) ?? error
    }
  }

  /** Another one when the file is another one, or has changed. */
  get fingerprint(): string {
    const { text } = this.#database.prepare(FINGERPRINT).get() as { text: string }
    return createHash('sha256').update(text).digest('hex')
  }

  /** The highest number of a milestone, also of executions that were deleted. */
  get milestone(): number {
    const row = this.#database.prepare(`SELECT ${SQLITE.newestMilestone} AS number`).get()
    return (row as { number: number }).number
  }

  /** What is to be done at a time. Running executions of a process that has ended are found without their jobs. */
  get jobs(): ScheduledJob[] {
    const rows = this.#database.prepare('SELECT key, job, at FROM jobs ORDER BY at, number').all() as {
      readonly key: string
      readonly job: string
      readonly at: number
    }[]
    const jobs = rows.map(({ key, job, at }) => ({ key, at, job: JSON.parse(job) as Job }))
    return jobs.filter(({ job }) => job.kind !== 'continue' || job.from === NOBODY)
  }

  count({ name, from = name }: MovedTable): number {
    return (this.#database.prepare(`SELECT count(*) AS total FROM ${from}`).get() as { total: number }).total
  }

  /** The rows of a table in batches, in the order of their keys. */
  *batches(table: MovedTable, after: number): Generator<MovedBatch> {
    const { name, select = '*', from = name, key = 'rowid', set } = table
    const sizes = this.#database.prepare(
      `SELECT ${key} AS key, sum(${this.#sizeOf(name)}) AS size FROM ${from} WHERE ${key} > ? GROUP BY ${key} ORDER BY ${key} LIMIT ${MAX_KEYS}`,
    )
    const rows = this.#database.prepare(
      `SELECT ${select} FROM ${from} WHERE ${key} > ? AND ${key} <= ? ORDER BY ${key}`,
    )
    for (let position = after; ;) {
      const last = endOfBatch(sizes.all(position) as { key: number; size: number }[])
      if (last === undefined) return
      const found = rows.all(position, last) as Record<string, SqlValue>[]
      yield { rows: set ? found.map((row) => ({ ...row, ...set(row) })) : found, position: last }
      position = last
    }
  }

  /** SQL of the size of a row of a table. */
  #sizeOf(table: string): string {
    const columns = this.#database.prepare('SELECT name FROM pragma_table_info(?)').all(table)
    const names = (columns as { name: string }[]).map(({ name }) => `coalesce(octet_length("${name}"), 0)`)
    return names.join(' + ')
  }

  close(): void {
    this.#database.close()
    this.#lock.release()
  }
}

function endOfBatch(keys: readonly { key: number; size: number }[]): number | undefined {
  let bytes = 0
  const end = keys.findIndex(({ size }) => (bytes += size) >= MAX_BYTES)
  return keys.at(end)?.key
}

function requireHistory(database: Database, file: string): void {
  const { own } = database
    .prepare(`SELECT total(name IN ('owner', 'executions')) AS own FROM sqlite_schema WHERE type = 'table'`)
    .get() as { own: number }
  if (own === 2) return
  throw new AppError('invalid_input', `The database ${file} was not made by agentserver`, {
    hint: 'Pass the file of `database` in the configuration, by default --from file:.agentserver/data.db',
  })
}
