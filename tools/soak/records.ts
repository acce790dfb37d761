import { statSync } from 'node:fs'
import path from 'node:path'
import { Client } from 'pg'
import { type ChaosDatabase, postgresDatabase, SQLITE } from '../chaos/chaos-database.ts'
import type { Sample } from './figures.ts'

/** Where a soak keeps its records. */
export interface Records extends Pick<ChaosDatabase, 'env' | 'end'> {
  /** Its size, in megabytes. */
  size(): Promise<Pick<Sample['figures'], 'database' | 'wal'>>
}

/** The SQLite file of a project. */
export function sqliteRecords(root: string): Records {
  const file = path.join(root, '.agentserver/data.db')
  return {
    ...SQLITE,
    size: async () => ({ database: megabytesOf(file), wal: megabytesOf(`${file}-wal`) }),
  }
}

/** The Postgres of DATABASE_URL, or one that is started. Its write-ahead log is that of all its databases. */
export async function postgresRecords(root: string): Promise<Records> {
  const database = await postgresDatabase(root)
  const url = new URL(database.env['DATABASE_URL'] ?? '')
  url.search = ''
  const client = new Client({ connectionString: url.href })
  await client.connect()
  return {
    env: database.env,
    size: async () => {
      const { rows } = await client.query<{ bytes: string }>(
        'SELECT pg_database_size(current_database()) AS bytes',
      )
      return { database: Number(rows[0]?.bytes) / 2 ** 20 }
    },
    end: async () => {
      await client.end()
      await database.end()
    },
  }
}

function megabytesOf(file: string): number {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) / 2 ** 20
}
