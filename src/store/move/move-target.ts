import { AppError } from '../../lib/errors.ts'
import type { PostgresQueries } from '../postgres/connection/database.ts'
import type { PostgresDatabases } from '../postgres/connection/postgres-databases.ts'
import type { BossPackage } from '../postgres/dispatch/create-boss.ts'
import { withJobQueues } from '../postgres/dispatch/migrate-jobs.ts'
import { MOVE_TABLE } from '../postgres/migrations/version-of-schema.ts'
import { DayPartitions } from '../postgres/telemetry/day-partitions.ts'
import type { MovedColumn, MovedDays, MovedPart, MovedValue } from './moved-part.ts'
import type { MovedBatch, SourceFile } from './source-file.ts'

/** Tables whose rows show that a schema is in use. */
const USED_TABLES = ['executions', 'agent_runs', 'conversations', 'traces', 'logs']
const NUMBERED_TABLES = [
  'executions',
  'events',
  'agent_runs',
  'agent_approvals',
  'conversations',
  'traces',
  'working_memory',
  'eval_runs',
  'eval_cases',
]
const FETCHED_ROWS = 500

/** How far a part has been copied: the key of the last row, and the number of rows. */
export interface MovePosition {
  readonly position: number
  readonly rows: number
}

/** The schema that a history is copied to. Until that is complete, no server uses it. */
export class MoveTarget {
  readonly #databases: PostgresDatabases
  readonly #pgBoss: BossPackage
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

  /** Stores a batch and how far the part has been copied, both or neither. */
  async copy(part: MovedPart, { rows, position }: MovedBatch): Promise<void> {
    const { name, columns, days } = part
    const names = columns.map((column) => column.name).join(', ')
    const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')
    const values = columns
      .map(({ name: value, castTo }) => (castTo ? `${value}::${castTo}` : value))
      .join(', ')
    if (days) await this.#partitionsOf(days).ensure(rows.map((row) => days.dayOf(row)))
    await this.#databases.writes.transaction(async (tx) => {
      await tx.change({
        text: `INSERT INTO ${name} (${names}) OVERRIDING SYSTEM VALUE SELECT ${values} FROM unnest(${arrays}) AS given (${names})`,
        values: columns.map((_, index) => rows.map((row) => row[index])),
      })
      if (days) await count(tx, days, rows)
      await tx.change({
        text: `INSERT INTO ${MOVE_TABLE} AS old SELECT source, $1, $2, $3 FROM ${MOVE_TABLE} WHERE part = ''
          ON CONFLICT (part) DO UPDATE SET position = excluded.position, rows = old.rows + excluded.rows`,
        values: [name, position, rows.length],
      })
    })
  }

  /** Calls `onRows` with all rows of a part, in no order. */
  async read(
    { name, columns }: MovedPart,
    onRows: (rows: readonly (readonly MovedValue[])[]) => void,
  ): Promise<void> {
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
          for (const table of NUMBERED_TABLES)
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

/** SQL of a column, as the value that it was copied from. */
function textOf({ name, type, castTo }: MovedColumn): string {
  if (castTo) return `${name}::text`
  return type === 'uuid' ? `replace(${name}::text, '-', '')` : name
}
