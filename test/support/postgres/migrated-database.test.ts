import { expect, it } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts'
import { insertion } from '../../suites/store/execution-rows.ts'
import { logRow } from '../../suites/store/log-rows.ts'
import { createMigratedDatabase } from './migrated-database.ts'
import { describeOnPostgres } from './test-database.ts'

/** Each table and sequence of all schemas with its rows. */
const CONTENTS = `
  SELECT n.nspname || '.' || relname AS name,
    query_to_xml(format('SELECT * FROM %s ORDER BY 1', c.oid::regclass), true, false, '')::text AS rows
  FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
  WHERE relkind IN ('r', 'p', 'S') AND nspname NOT LIKE 'pg_%' AND nspname <> 'information_schema' ORDER BY name`

describeOnPostgres('a migrated database', () => {
  it('is as the migration left it when another test gets it, whatever was stored before', async () => {
    const database = await createMigratedDatabase()
    const before = await database.query(CONTENTS)
    const store = await openPostgresStore({ url: database.url, root: '/' })
    await store.executions.write([insertion({ id: 'a' })])
    await store.logs.insert([logRow(Date.now())])
    await store.dispatcher.change({ add: [{ key: 'k', job: { kind: 'wake', id: 'a', sequence: 1 } }] })
    await database.query(
      'CREATE TABLE public.notes (id serial); UPDATE project_boss.queue SET retry_limit = 3',
    )
    await store.close()
    expect(await database.query(CONTENTS)).not.toEqual(before)
    await database.drop()
    const next = await createMigratedDatabase()
    expect(next.url).toBe(database.url)
    expect(await next.query(CONTENTS)).toEqual(before)
    await next.drop()
  })

  it('is for no other test before the stores of its test are closed', async () => {
    const database = await createMigratedDatabase()
    const store = await openPostgresStore({ url: database.url, root: '/' })
    let isDropped = false
    const dropped = database.drop().then(() => (isDropped = true))
    const other = await createMigratedDatabase()
    expect(other.url).not.toBe(database.url)
    expect(isDropped).toBe(false)
    await store.close()
    await dropped
    await other.drop()
  })
})
