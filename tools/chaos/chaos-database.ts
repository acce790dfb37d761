import { createWriteStream, mkdirSync } from 'node:fs'
import { once } from 'node:events'
import path from 'node:path'
import { Client } from 'pg'
import { migratePostgres } from '../../src/store/postgres/migrate-postgres.ts'
import { DatabaseProxy } from '../../test/support/postgres/database-proxy.ts'
import { PostgresServer } from '../../test/support/postgres/postgres-server.ts'

/** Where the project that is killed keeps its records. */
export interface ChaosDatabase {
  /** For the server. */
  readonly env: Readonly<Record<string, string>>
  /** Breaks the connections to it, and refuses others until the returned function is called. Postgres only. */
  readonly cut?: () => () => void
  /** Stops the database server, until the returned function is called. Only one that was started for it. */
  readonly stop?: () => Promise<() => Promise<void>>
  /** Writes the records into the folder of the project, if they are elsewhere. */
  keep(): Promise<void>
  /** Removes the records, if they are elsewhere. */
  end(): Promise<void>
}

/** The SQLite file of the project, whatever DATABASE_URL says. */
export const SQLITE: ChaosDatabase = {
  env: { DATABASE_URL: '' },
  keep: async () => undefined,
  end: async () => undefined,
}

/** A schema of its own on the Postgres of DATABASE_URL, or on one that is started for it. */
export async function postgresDatabase(root: string): Promise<ChaosDatabase> {
  const given = process.env['DATABASE_URL']
  const started = given === undefined ? await PostgresServer.launch() : undefined
  const schema = `chaos_${process.pid}_${Date.now().toString(36)}`
  const database = given ?? started?.url ?? ''
  const url = new URL(database)
  url.searchParams.set('schema', schema)
  try {
    await migratePostgres({ url: url.href, root, check: false })
  } catch (error) {
    await started?.remove()
    throw error
  }
  const proxy = await DatabaseProxy.listen(url.href)
  return {
    env: { DATABASE_URL: proxy.url },
    cut: () => proxy.cut(),
    ...(started && {
      stop: async () => {
        await started.stop()
        return () => started.start()
      },
    }),
    keep: () => copyTables(database, schema, path.join(root, 'postgres')),
    end: async () => {
      await proxy.close()
      if (started) return started.remove()
      await connected(database, (client) => client.query(`DROP SCHEMA "${schema}" CASCADE`))
    },
  }
}

/** Writes each table as a file of JSON lines. */
async function copyTables(database: string, schema: string, folder: string): Promise<void> {
  mkdirSync(folder)
  await connected(database, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1 AND table_type = 'BASE TABLE'",
      [schema],
    )
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(
        `SELECT row_to_json(t)::text AS row FROM "${schema}"."${name}" t`,
      )
      const file = createWriteStream(path.join(folder, `${name}.jsonl`))
      for (const { row } of rows) file.write(`${row}\n`)
      file.end()
      await once(file, 'finish')
    }
  })
}

async function connected(database: string, use: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: database })
  await client.connect()
  try {
    await use(client)
  } finally {
    await client.end()
  }
}
