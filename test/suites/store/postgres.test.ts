import pg from 'pg'
import * as pgBoss from 'pg-boss'
import { afterAll, beforeAll } from 'vitest'
import { PostgresDatabases } from '../../../src/store/postgres/connection/postgres-databases.ts'
import { parsePostgresUrl } from '../../../src/store/postgres/connection/postgres-url.ts'
import { postgresActivity } from '../../../src/store/postgres/executions/activity.ts'
import { postgresExecutions } from '../../../src/store/postgres/executions/executions.ts'
import { migrateSchema } from '../../../src/store/postgres/migrations/migrate-schema.ts'
import type { Store } from '../../../src/store/store.ts'
import { createDatabase, describeOnPostgres } from '../../support/postgres/test-database.ts'
import type { TestDatabase } from '../../support/postgres/test-database.ts'
import { storeSuite } from './store-suite.ts'

describeOnPostgres('Postgres', () => {
  let database: TestDatabase
  let schemas = 0
  beforeAll(async () => {
    database = await createDatabase()
  })
  afterAll(() => database.drop())

  const open = async (): Promise<Store> => {
    const schema = `s${++schemas}`
    const databases = new PostgresDatabases({
      pg,
      url: parsePostgresUrl(database.url),
      schema,
      prepare: async (client, { place, createPool }) =>
        void (await migrateSchema({ schema, project: 'test', place }, { client, pgBoss, createPool })),
      onHealth: () => undefined,
    })
    await databases.open()
    const closing = new AbortController()
    const executions = postgresExecutions({
      databases,
      ownerEpoch: 7,
      jobs: { add: async () => undefined, drop: async () => undefined },
      onCommitted: () => undefined,
      closing: closing.signal,
    })
    const rooms = { ownerEpoch: 7, executions, activity: postgresActivity(databases.reads) }
    return { ...rooms, close: () => databases.close() } as Store
  }

  storeSuite('Postgres', open, ['writing', 'listing', 'milestones', 'pruning', 'activity'])
})
