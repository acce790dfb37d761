import { AppError } from '../../lib/errors.ts'
import { escapeNul } from '../postgres/escape-nul.ts'
import type { PostgresQueries } from '../postgres/connection/database.ts'
import type { PostgresDatabases } from '../postgres/connection/postgres-databases.ts'
import type { BossPackage } from '../postgres/dispatch/create-boss.ts'
import { withJobQueues } from '../postgres/dispatch/migrate-jobs.ts'
import { MOVE_TABLE } from '../postgres/migrations/version-of-schema.ts'
import { DayPartitions } from '../postgres/telemetry/day-partitions.ts'
import type { MovedDays, MovedRow, MovedTable, MovedValue } from './moved-tables.ts'
import type { MovedBatch, SourceFile } from './source-file.ts'

/** Tables whose rows show that a schema is in use. */
const USED_TABLES = ['executions', 'agent_runs', 'conversations', 'traces', 'logs']
const FETCHED_ROWS = 500

const COLUMNS = `SELECT column_name AS name, data_type AS type FROM information_schema.columns
  WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position`
/** Tables that number their rows. */
const NUMBERED = `SELECT table_name AS table FROM information_schema.columns
  WHERE table_schema = current_schema() AND column_name = 'number' AND is_identity = 'YES'`

interface MovedColumn {
  readonly name: string
  readonly type: string
}

/** How far a table has been copied: the key of the last row, and the number of rows. */
export interface MovePosition {
  readonly position: number
  readonly rows: number
}

/** The schema that a history is copied to. Until that is complete, no server uses it. */
export class MoveTarget {
  readonly #databases: PostgresDatabases
  readonly #pgBoss: BossPackage
  /** The columns of each table that are copied. */
  readonly #columns = new Map<string, readonly MovedColumn[]>()
  readonly #partitions = new Map<string, DayPartitions>()

  constructor(databases: PostgresDatabases, pgBoss: BossPackage) {
    this.#databases = databases
    this.#pgBoss = pgBoss
  }

  /**
   * Marks the schema as the target of a move, or continues one that was interrupted.
   *
   * @throws AppError `conflict` if the schema has records, other than those of an unfinished move of this source.
   */
  async begin(fingerprint: string): Promise<ReadonlyMap<string, MovePosition>> {
    const { schema, place, writes } = this.#databases
    const name = `The schema "${schema}" of the database ${place}`
    const hint = `Choose another schema with ?schema=… in the URL, or delete this one: DROP SCHEMA ${schema} CASCADE; DROP SCHEMA ${schema}_boss CASCADE`
    return writes.transaction(async (tx) => {
      const [found] = await tx.rows<{ exists: boolean }>({
        text: `SELECT to_regclass('${MOVE_TABLE}') IS NOT NULL AS exists`,
      })
      if (!found?.exists) {
        const used = await usedTables(tx)
        if (used.length > 0)
          throw new AppError('conflict', `${name} is not empty: it has ${used.join(', ')}`, { hint })
        await tx.change({
          text: `CREATE TABLE ${MOVE_TABLE} (source text NOT NULL, part text PRIMARY KEY, position bigint NOT NULL, rows bigint NOT NULL)`,
        })
        await tx.change({ text: `INSERT INTO ${MOVE_TABLE} VALUES ($1, '', 0, 0)`, values: [fingerprint] })
        return new Map()
      }
      const parts = await tx.rows<MovePosition & { source: string; part: string }>({
        text: `SELECT source, part, position, rows FROM ${MOVE_TABLE}`,
      })
      if (parts.some(({ source }) => source !== fingerprint))
        throw new AppError(
          'conflict',
          `${name} has an unfinished move of another file, or the file has been used since it began`,
          { hint },
        )
      return new Map(parts.map(({ part, position, rows }) => [part, { position, rows }]))
    })
  }

  /** Stores a batch and how far the table has been copied, both or neither. */
  async copy(table: MovedTable, { rows, position }: MovedBatch): Promise<void> {
    const { name, days } = table
    const values = await this.valuesOf(table, rows)
    const columns = this.#columns.get(name) ?? []
    const names = columns.map((column) => `"${column.name}"`).join(', ')
    const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')
    if (days) await this.#partitionsOf(days).ensure(rows.map((row) => days.dayOf(row)))
    await this.#databases.writes.transaction(async (tx) => {
      await tx.change({
        text: `INSERT INTO ${name} (${names}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest(${arrays})`,
        values: columns.map((_, index) => values.map((row) => row[index])),
      })
      if (days) await count(tx, days, rows)
      await tx.change({
        text: `INSERT INTO ${MOVE_TABLE} AS old SELECT source, $1, $2, $3 FROM ${MOVE_TABLE} WHERE part = ''
          ON CONFLICT (part) DO UPDATE SET position = excluded.position, rows = old.rows + excluded.rows`,
        values: [name, position, rows.length],
      })
    })
  }

  /** Rows as the table stores them: the columns that both have. */
  async valuesOf({ name }: MovedTable, rows: readonly MovedRow[]): Promise<MovedValue[][]> {
    const columns = this.#columns.get(name) ?? (await this.#columnsOf(name, rows))
    return rows.map((row) => columns.map((column) => storedValue(column, row[column.name] ?? null)))
  }

  /** Calls `onRows` with all rows of a table, in no order, after those of the file have been converted. */
  async read(
    { name }: MovedTable,
    onRows: (rows: readonly (readonly MovedValue[])[]) => void,
  ): Promise<void> {
    const columns = this.#columns.get(name) ?? []
    const selected = columns.map((column, index) => `${textOf(column)} AS c${index}`)
    await this.#databases.reads.transaction(async (tx) => {
      await tx.change({
        text: `DECLARE moved NO SCROLL CURSOR FOR SELECT ${selected.join(', ')} FROM ${name}`,
      })
      for (;;) {
        const rows = await tx.rows<Record<string, MovedValue>>({ text: `FETCH ${FETCHED_ROWS} FROM moved` })
        if (rows.length === 0) return
        onRows(rows.map((row) => columns.map((_, index) => row[`c${index}`] ?? null)))
      }
    })
  }

  /**
   * Makes the copy a database that servers use, with the jobs of its executions. New records are numbered after the
   * copied ones.
   */
  async finish({ milestone, jobs }: Pick<SourceFile, 'milestone' | 'jobs'>): Promise<void> {
    const { writes, schema, createPool } = this.#databases
    const pool = createPool(1)
    try {
      await withJobQueues({ pgBoss: this.#pgBoss, pool, schema }, (queues) =>
        writes.transaction(async (tx) => {
          for (const { table } of await tx.rows<{ table: string }>({ text: NUMBERED }))
            await tx.change({
              text: `SELECT setval(pg_get_serial_sequence('${table}', 'number'), greatest(max(number), 1), max(number) IS NOT NULL) FROM ${table}`,
            })
          await tx.change({
            text: `SELECT setval('queue_ages', greatest(max(number), 1), max(number) IS NOT NULL) FROM queue`,
          })
          await tx.change({ text: 'UPDATE counters SET milestone = $1', values: [milestone] })
          // jobs are due by the clock of the database
          const clock = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now'
          const [{ now } = { now: Date.now() }] = await tx.rows<{ now: number }>({ text: clock })
          queues.clockOffset = now - Date.now()
          await queues.add(tx, jobs)
          await tx.change({ text: `DROP TABLE ${MOVE_TABLE}` })
        }),
      )
    } finally {
      await pool.end()
    }
  }

  async close(): Promise<void> {
    await this.#databases.close()
  }

  async #columnsOf(name: string, [row]: readonly MovedRow[]): Promise<readonly MovedColumn[]> {
    if (!row) return []
    const known = await this.#databases.reads.rows<MovedColumn>({ text: COLUMNS, values: [name] })
    const columns = known.filter((column) => column.name in row)
    this.#columns.set(name, columns)
    return columns
  }

  #partitionsOf({ table, days, keysPerDay }: MovedDays): DayPartitions {
    const database = this.#databases.writes
    const partitions = this.#partitions.get(table) ?? new DayPartitions({ database, table, days, keysPerDay })
    this.#partitions.set(table, partitions)
    return partitions
  }
}

async function usedTables(tx: PostgresQueries): Promise<string[]> {
  const used: string[] = []
  for (const table of USED_TABLES) {
    const [row] = await tx.rows<{ total: number }>({ text: `SELECT count(*) AS total FROM ${table}` })
    if (row && row.total > 0) used.push(`${row.total} ${table.replace('_', ' ')}`)
  }
  return used
}

async function count(
  tx: PostgresQueries,
  { days, dayOf, counts }: MovedDays,
  rows: MovedBatch['rows'],
): Promise<void> {
  for (const [column, added] of Object.entries(counts))
    await tx.change({
      text: `UPDATE ${days} SET ${column} = ${days}.${column} + new.added
        FROM (SELECT day, sum(added)::bigint AS added FROM unnest($1::int[], $2::bigint[]) AS given(day, added) GROUP BY day) AS new
        WHERE ${days}.day = new.day`,
      values: [rows.map((row) => dayOf(row)), rows.map((row) => added(row))],
    })
}

/** A value of the file as a column stores it. */
function storedValue({ type }: MovedColumn, value: MovedValue): MovedValue {
  if (type === 'boolean') return Boolean(value)
  return typeof value === 'string' ? escapeNul(value) : value
}

/** SQL of a column, as the value that it was copied from. */
function textOf({ name, type }: MovedColumn): string {
  return type === 'uuid' ? `replace(${name}::text, '-', '')` : `"${name}"`
}
