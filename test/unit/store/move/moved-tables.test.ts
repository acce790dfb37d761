import { afterAll, beforeAll, expect, it } from 'vitest'
import { HISTORY_TABLES, TELEMETRY_TABLES } from '../../../../src/store/move/moved-tables.ts'
import { openDatabase } from '../../../../src/store/sqlite/driver.ts'
import { migrate } from '../../../../src/store/sqlite/migrations/migrate.ts'
import { createMigratedDatabase, SCHEMA } from '../../../support/postgres/migrated-database.ts'
import { describeOnPostgres } from '../../../support/postgres/test-database.ts'
import type { TestDatabase } from '../../../support/postgres/test-database.ts'

/** Numbers of rows that nothing refers to: Postgres has none. */
const UNUSED_NUMBERS = ['event_takes', 'waits', 'step_days', 'model_hours', 'step_models', 'budget_hours']

describeOnPostgres('the columns of moved tables', () => {
  let postgres: TestDatabase
  beforeAll(async () => {
    postgres = await createMigratedDatabase()
  })
  afterAll(() => postgres.drop())

  it('are in both databases, but for a few', async () => {
    const file = openDatabase(':memory:')
    migrate(file)
    const rows = await postgres.query<{ name: string }>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = '${SCHEMA}'`,
    )
    const target = new Set(rows.map(({ name }) => name))
    const moved = [...HISTORY_TABLES, ...TELEMETRY_TABLES]
    const source = new Set(
      moved.flatMap(({ name: table }) =>
        (file.prepare('SELECT name FROM pragma_table_info(?)').all(table) as { name: string }[]).map(
          ({ name }) => `${table}.${name}`,
        ),
      ),
    )
    file.close()
    const isMoved = (name: string) => moved.some((table) => name.startsWith(`${table.name}.`))
    expect([...source].filter((name) => !target.has(name)).toSorted()).toEqual(
      [...UNUSED_NUMBERS.map((table) => `${table}.number`), 'journal.milestone', 'journal.number'].toSorted(),
    )
    // each of them has a default, or is set by the move
    expect([...target].filter((name) => isMoved(name) && !source.has(name)).toSorted()).toEqual([
      'executions.last_sequence',
      'executions.last_write',
      'executions.origin_id',
      'hours.owner_epoch',
      'logs.owner_epoch',
      'model_hours.owner_epoch',
      'span_chunks.day',
      'span_chunks.trace',
      'step_days.owner_epoch',
      'traces.day',
      'traces.has_entity',
      'traces.open_on',
      'traces.outcome',
    ])
  })
})
