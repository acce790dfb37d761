import { escapeNul } from '../postgres/escape-nul.ts'
import type { SqlValue } from '../sqlite/driver.ts'

export type MovedValue = SqlValue | boolean

/** A column of the target. */
export interface MovedColumn {
  readonly name: string
  readonly type: 'bigint' | 'int' | 'smallint' | 'float8' | 'text' | 'boolean' | 'uuid'
  /** The type in the table, if the value is its text. */
  readonly castTo?: 'bigint[]' | 'text[]'
}

/** Records that are stored by days, in partitions, with a row of counts for each day. */
export interface MovedDays {
  /** The partitioned table. */
  readonly table: string
  /** The table of the counts, by `day`. */
  readonly days: string
  readonly keysPerDay: number
  readonly dayOf: (values: readonly MovedValue[]) => number
  /** What a row adds to the counts of its day. */
  readonly counts: Readonly<Record<string, (values: readonly MovedValue[]) => number>>
}

const BIGINTS: ReadonlySet<string> = new Set([
  'owner_epoch',
  'created_at',
  'updated_at',
  'started_at',
  'ended_at',
  'expires_at',
  'times_out_at',
  'crashes',
  'suspected',
])
/** A table of the file, and the one in Postgres that its rows are copied to. */
export interface MovedPart {
  /** Name of the target table, also for the progress. */
  readonly name: string
  readonly columns: readonly MovedColumn[]
  /** SQL of the rows: `from` with the expressions that are selected, an integer `key` in whose order they are read, and their `size`. */
  readonly source: {
    readonly select: string
    readonly from: string
    readonly key: string
    readonly size: string
  }
  /** The values of the columns, from a row of the source. */
  readonly convert: (row: Readonly<Record<string, SqlValue>>) => readonly MovedValue[]
  readonly days?: MovedDays
}

/** Columns of one type. */
export function columnsOf(type: MovedColumn['type'], ...names: readonly string[]): MovedColumn[] {
  return names.map((name) => ({ name, type }))
}

/** JSON text, in which Postgres accepts NUL only as an escape. */
export function jsonText(value: SqlValue | undefined): SqlValue {
  return typeof value === 'string' ? value.replaceAll('\0', String.raw`\u0000`) : (value ?? null)
}

/** A column of executions or agent runs. */
export function columnOf(name: string): MovedColumn {
  return { name, type: BIGINTS.has(name) ? 'bigint' : 'text' }
}

/** Text as it is stored: as JSON, or plain. */
export function storedText(value: SqlValue | undefined, isPlain: boolean): SqlValue {
  return isPlain && typeof value === 'string' ? escapeNul(value) : jsonText(value)
}
