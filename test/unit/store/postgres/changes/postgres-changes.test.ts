import * as pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ANY_EXECUTION } from '../../../../../src/store/remote-changes.ts'
import { ChangeNotifier } from '../../../../../src/store/postgres/changes/change-notifier.ts'
import { NotificationClient } from '../../../../../src/store/postgres/changes/notification-client.ts'
import { PostgresChanges } from '../../../../../src/store/postgres/changes/postgres-changes.ts'
import type { PostgresDatabase } from '../../../../../src/store/postgres/connection/database.ts'
import { createDatabase, describeOnPostgres } from '../../../../support/postgres/test-database.ts'
import type { TestDatabase } from '../../../../support/postgres/test-database.ts'
import { until } from '../../../../support/until.ts'

const HERE = 1
const THERE = 2

describeOnPostgres('changes by other machines', () => {
  let database: TestDatabase
  let pool: pg.Pool
  let client: NotificationClient
  let seen: string[]
  let queries: string[]

  beforeEach(async () => {
    database = await createDatabase()
    await database.query(`
      CREATE SCHEMA project;
      CREATE TABLE project.counters (milestone bigint);
      INSERT INTO project.counters VALUES (1);
      CREATE TABLE project.agent_runs (id text, number bigint, status text, owner_epoch bigint, continuation text);
      CREATE TABLE project.agent_parts (run bigint, seq bigint);
      CREATE TABLE project.executions (id text, status text, owner_epoch bigint, last_sequence int, suspend_request text)`)
    pool = new pg.Pool({ connectionString: database.url, options: '-c search_path=project' })
    pool.on('error', () => undefined)
    client = new NotificationClient({ databases: reachable(true) })
    seen = []
    queries = []
  })

  afterEach(async () => {
    await client.close()
    await pool.end()
    await database.drop()
  })

  const notifier = (ownerEpoch: number) =>
    new ChangeNotifier({ databases: { writes: recorded(), schema: 'project' }, ownerEpoch })

  function follow(watched: readonly string[], notifications = client) {
    const databases = { reads: recorded(), schema: 'project' }
    const changes = new PostgresChanges({
      databases,
      ownerEpoch: HERE,
      notifications,
      announce: () => undefined,
    })
    return changes.follow({ watched: () => watched, onChange: (topic) => void seen.push(topic) })
  }

  function reachable(listens: boolean) {
    return { listens, connect: () => connect(database.url) }
  }

  function recorded(): PostgresDatabase {
    return {
      rows: async ({ text, values = [] }) => {
        queries.push(text)
        return (await pool.query(text, [...values])).rows
      },
      change: () => Promise.reject(new Error('not used')),
      transaction: () => Promise.reject(new Error('not used')),
    }
  }

  /** Resolves when notifications arrive. */
  async function listening(): Promise<void> {
    const stop = follow(['ready'])
    await until(() => seen.includes('ready'))
    stop()
    seen = []
  }

  const insert = (id: string, ownerEpoch: number) =>
    database.query(`INSERT INTO project.executions VALUES ($1, 'running', $2, 1, null)`, [id, ownerEpoch])

  it('arrive by notification, with those of the same moment in one message', async () => {
    await listening()
    const stop = follow([])
    const there = notifier(THERE)
    for (let i = 0; i < 400; i++) there.onCommitted([`${i}-${'x'.repeat(100)}`])
    await until(() => seen.filter((topic) => topic !== ANY_EXECUTION).length === 400)
    expect(queries.filter((text) => text.includes('pg_notify'))).toHaveLength(1)
    expect(seen).toContain(ANY_EXECUTION)
    stop()
    await there.close()
  })

  it('leave out those of this machine', async () => {
    await listening()
    const stop = follow([])
    const [here, there] = [notifier(HERE), notifier(THERE)]
    here.onCommitted(['mine'])
    await here.close()
    there.onCommitted(['theirs'])
    await until(() => seen.includes('theirs'))
    expect(seen).toEqual(['theirs', ANY_EXECUTION])
    stop()
    await there.close()
  })

  it('are found within a second when the notification was lost', async () => {
    await insert('a', THERE)
    await listening()
    const stop = follow(['a'])
    await until(() => seen.length === 1)
    await database.query(`UPDATE project.executions SET last_sequence = 2`)
    const changed = performance.now()
    await until(() => seen.length === 2)
    expect(performance.now() - changed).toBeLessThan(3000)
    stop()
  })

  it('are not seen in events of this machine, but in its ownership', async () => {
    await insert('a', HERE)
    await insert('b', THERE)
    const stop = follow(['a', 'b'])
    await until(() => seen.length === 2)
    await database.query(`UPDATE project.executions SET last_sequence = 2`)
    await until(() => seen.length === 3)
    await database.query(`UPDATE project.executions SET owner_epoch = 3 WHERE id = 'a'`)
    await until(() => seen.length === 4)
    expect(seen.slice(2)).toEqual(['b', 'a'])
    stop()
  })

  it('are looked for where the database can not notify', async () => {
    const stop = follow([ANY_EXECUTION], new NotificationClient({ databases: reachable(false) }))
    await until(() => seen.length === 1)
    await database.query('UPDATE project.counters SET milestone = 2')
    await until(() => seen.length === 2)
    expect(seen).toEqual([ANY_EXECUTION, ANY_EXECUTION])
    stop()
  })

  it('are found in the runs of agents', async () => {
    await database.query(`INSERT INTO project.agent_runs (id, status) VALUES ('run', 'running')`)
    const stop = follow(['run'])
    await until(() => seen.length === 1)
    await database.query(`UPDATE project.agent_runs SET status = 'aborted'`)
    await until(() => seen.length === 2)
    expect(seen).toEqual(['run', 'run'])
    stop()
  })

  it('need no query while nothing is watched', async () => {
    await listening()
    queries = []
    const stop = follow([])
    await new Promise((resolve) => setTimeout(resolve, 2200))
    expect(queries).toEqual([])
    stop()
  })

  it('arrive again after the connection was lost', async () => {
    await insert('a', THERE)
    await listening()
    const stop = follow(['a'])
    await until(() => seen.length === 1)
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()`,
    )
    const there = notifier(THERE)
    await until(async () => {
      there.onCommitted(['again'])
      await new Promise((resolve) => setTimeout(resolve, 50))
      return seen.includes('again')
    })
    expect(seen).toContain(ANY_EXECUTION)
    stop()
    await there.close()
  })
})

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => undefined)
  await client.connect()
  return client
}
