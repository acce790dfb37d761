import { Client } from 'pg'
import { afterEach } from 'vitest'
import { migratePostgres } from '../../../src/store/postgres/migrate-postgres.ts'
import { until } from '../until.ts'
import { createDatabase } from './test-database.ts'
import type { TestDatabase } from './test-database.ts'

/** The schema of the tables, which the URL of a migrated database names. */
export const SCHEMA = 'project'

/** Migrated databases of this worker that no test uses. */
const free: MigratedDatabase[] = []

/**
 * A database with an empty migrated schema, for stores that are opened with the root `/`. A migration takes a second:
 * `drop` restores what it has left, and gives the database to the next test. Close the stores of the test before.
 */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  return free.pop() ?? MigratedDatabase.create()
}

/** Migrated databases for each test of a suite: returns the URL of the one with a name. They are dropped after the test. */
export function migratedDatabases(): (name: string) => Promise<string> {
  const taken = new Map<string, Promise<TestDatabase>>()
  afterEach(async () => {
    const all = await Promise.all(taken.values())
    taken.clear()
    await Promise.all(all.map((database) => database.drop()))
  })
  return async (name) => {
    const database = taken.get(name) ?? createMigratedDatabase()
    taken.set(name, database)
    return (await database).url
  }
}

class MigratedDatabase implements TestDatabase {
  readonly url: string
  readonly #database: TestDatabase
  /** Statements that restore all rows. */
  #restoring = ''
  /** Kept between tests: a new connection reads the catalog again, for each of some forty tables. */
  #restorer: Client | undefined

  private constructor(database: TestDatabase) {
    this.#database = database
    // one connection a purpose: a test would spend most of its time on the start of others
    this.url = `${database.url}?schema=${SCHEMA}&pool=1`
  }

  static async create(): Promise<MigratedDatabase> {
    const database = new MigratedDatabase(await createDatabase())
    await migratePostgres({ url: database.url, root: '/', check: false })
    await database.#connected(async (client) => {
      await client.query(KEEP)
      const { rows } = await client.query<{ text: string }>(RESTORING)
      database.#restoring = rows.map(({ text }) => text).join(';')
    })
    return database
  }

  query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#connected(async (client) => (await client.query<Row>(text, [...values])).rows)
  }

  takeAway(): Promise<() => Promise<void>> {
    return this.#database.takeAway()
  }

  async drop(): Promise<void> {
    const client = await this.#connectedRestorer()
    const isUnused = async () => (await client.query(OTHERS)).rowCount === 0
    await until(isUnused, 'the stores of the test to disconnect from its database')
    await client.query(DROP_NEW)
    await client.query(this.#restoring)
    free.push(this)
  }

  async #connectedRestorer(): Promise<Client> {
    if (this.#restorer) return this.#restorer
    // a replica has neither triggers nor foreign keys
    const client = await this.#connect('session_replication_role=replica')
    // a test may end all connections of its database
    client.on('error', () => undefined)
    client.once('end', () => (this.#restorer = undefined))
    this.#restorer = client
    return client
  }

  async #connect(...settings: readonly string[]): Promise<Client> {
    const client = new Client({
      connectionString: this.#database.url,
      options: [`search_path=${SCHEMA}`, ...settings].map((one) => `-c ${one}`).join(' '),
    })
    await client.connect()
    return client
  }

  async #connected<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = await this.#connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }
}

const OTHERS = `SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`

const RELATIONS = `
  SELECT c.oid::regclass AS name, 'kept.r' || c.oid AS copy, relkind AS kind, relispartition AS is_part
  FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
  WHERE relkind IN ('r', 'p', 'S') AND nspname NOT LIKE 'pg_%' AND nspname NOT IN ('information_schema', 'kept')`

/** Copies all tables and sequences. */
const KEEP = `
  CREATE SCHEMA kept;
  CREATE TABLE kept.relations AS ${RELATIONS};
  DO $$ DECLARE relation record; BEGIN
    FOR relation IN SELECT * FROM kept.relations WHERE NOT is_part LOOP
      EXECUTE format('CREATE TABLE %s AS TABLE %s', relation.copy, relation.name);
    END LOOP;
  END $$`

/** With few rows, DELETE is much faster than TRUNCATE. */
const RESTORING = `
  SELECT CASE kind
    WHEN 'S' THEN format('SELECT setval(%L, last_value, is_called) FROM %s', name, copy)
    ELSE format('DELETE FROM %1$s; INSERT INTO %1$s OVERRIDING SYSTEM VALUE TABLE %2$s', name, copy) END AS text
  FROM kept.relations WHERE NOT is_part`

/** Drops the tables that the test has made, such as those of days. */
const DROP_NEW = `
  DO $$ DECLARE relation record; BEGIN
    FOR relation IN ${RELATIONS} AND relkind <> 'S' AND c.oid NOT IN (SELECT name FROM kept.relations) LOOP
      EXECUTE format('DROP TABLE %s', relation.name);
    END LOOP;
  END $$`
