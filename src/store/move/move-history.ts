import { createHash } from 'node:crypto'
import { AppError } from '../../lib/errors.ts'
import { loadDrivers } from '../postgres/connection/load-drivers.ts'
import { createDatabases } from '../postgres/connection/create-databases.ts'
import { migrateSchema } from '../postgres/migrations/migrate-schema.ts'
import { MoveTarget } from './move-target.ts'
import { HISTORY_TABLES, TELEMETRY_TABLES } from './moved-tables.ts'
import type { MovedTable, MovedValue } from './moved-tables.ts'
import { SourceFile } from './source-file.ts'

export interface MoveOptions {
  /** The SQLite database, an absolute path. */
  readonly file: string
  /** The Postgres database. */
  readonly url: string
  /** The project's directory. */
  readonly root: string
  /** Whether logs and traces are copied. */
  readonly telemetry: boolean
  readonly onProgress: (progress: MoveProgress) => void
}

export interface MoveProgress {
  readonly phase: 'copying' | 'verifying'
  /** The table. */
  readonly part: string
  readonly rows: number
  readonly total: number
}

export interface MoveResult {
  /** Copied rows by table, those of interrupted runs included. */
  readonly rows: Readonly<Record<string, number>>
  /** Rows that an interrupted run had copied already. */
  readonly continuedAt: number
  /** The schema version of the file, if an earlier release had made it: the move has brought it to that of this one. */
  readonly migratedFrom?: number | undefined
}

/**
 * Copies the history of a SQLite database to Postgres, compares both, and makes the copy a database that servers use.
 * After an interruption the next call continues it.
 *
 * @throws AppError `database_locked` while a server uses the file, `conflict` if the target has other records or the
 * comparison fails, and `unavailable` while Postgres can't be used.
 */
export async function moveHistory({
  file,
  url,
  root,
  telemetry,
  onProgress,
}: MoveOptions): Promise<MoveResult> {
  const source = SourceFile.open(file)
  try {
    const drivers = await loadDrivers(root)
    const { pgBoss } = drivers
    const databases = createDatabases(drivers, {
      url,
      root,
      prepare: async (client, schema) => {
        const { createPool } = databases
        await migrateSchema({ ...schema, movesHistory: true }, { client, pgBoss, createPool })
      },
    })
    const target = new MoveTarget(databases, pgBoss)
    try {
      await databases.open()
      const tables = [...HISTORY_TABLES, ...(telemetry ? TELEMETRY_TABLES : [])]
      const continuedAt = await copy(tables, { source, target, onProgress })
      const rows = await verify(tables, { source, target, onProgress })
      await target.finish(source)
      return { rows, continuedAt, migratedFrom: source.migratedFrom }
    } finally {
      await target.close()
    }
  } finally {
    source.close()
  }
}

interface Move extends Pick<MoveOptions, 'onProgress'> {
  readonly source: SourceFile
  readonly target: MoveTarget
}

async function copy(tables: readonly MovedTable[], { source, target, onProgress }: Move): Promise<number> {
  const positions = await target.begin(source.fingerprint)
  for (const table of tables) {
    const total = source.count(table)
    let { position, rows } = positions.get(table.name) ?? { position: -1, rows: 0 }
    for (const batch of source.batches(table, position)) {
      await target.copy(table, batch)
      position = batch.position
      rows += batch.rows.length
      onProgress({ phase: 'copying', part: table.name, rows, total })
    }
  }
  return [...positions.values()].reduce((sum, { rows }) => sum + rows, 0)
}

async function verify(
  tables: readonly MovedTable[],
  { source, target, onProgress }: Move,
): Promise<Record<string, number>> {
  const moved: Record<string, number> = {}
  for (const table of tables) {
    const total = source.count(table)
    const expected = new ContentHash()
    for (const { rows } of source.batches(table, -1))
      for (const values of await target.valuesOf(table, rows)) expected.add(values)
    const found = new ContentHash()
    await target.read(table, (rows) => {
      for (const values of rows) found.add(values)
      onProgress({ phase: 'verifying', part: table.name, rows: found.rows, total })
    })
    if (!found.equals(expected)) throw differs(table, expected, found)
    moved[table.name] = found.rows
  }
  return moved
}

function differs({ name }: MovedTable, expected: ContentHash, found: ContentHash): AppError {
  const problem =
    expected.rows === found.rows
      ? `the contents of ${name} differ`
      : `${name} has ${expected.rows} rows in the file and ${found.rows} in the database`
  return new AppError('conflict', `The copy is not complete: ${problem}`, {
    hint: 'Delete the schema in the database, or choose another one with ?schema=…, and run the command again',
  })
}

const MODULUS = 1n << 256n

/** The number of rows and a hash of their contents, in whatever order they are added. */
class ContentHash {
  rows = 0
  #sum = 0n

  add(values: readonly MovedValue[]): void {
    const digest = createHash('sha256').update(JSON.stringify(values)).digest('hex')
    this.#sum = (this.#sum + BigInt(`0x${digest}`)) % MODULUS
    this.rows += 1
  }

  equals(other: ContentHash): boolean {
    return this.rows === other.rows && this.#sum === other.#sum
  }
}
