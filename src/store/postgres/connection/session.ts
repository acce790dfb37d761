import type { Client } from 'pg'
import { DatabaseSetupError } from './connection-error.ts'

/** What a session can do. Poolers such as PgBouncer give each transaction of a client another session. */
export interface Session {
  /** The connection leads to the server itself, so it can LISTEN and prepare statements. */
  readonly isDirect: boolean
  /** The settings of the connection, such as the search path, apply to each of its queries. */
  readonly keepsSettings: boolean
}

const MIN_VERSION = 13

/**
 * Finds out what the sessions of a connection can do.
 *
 * @throws DatabaseSetupError if the server is too old.
 */
export async function inspectSession(client: Client, { schema, place }: SessionPlace): Promise<Session> {
  const { rows } = await client.query<{ pid: number; path: string; version: string }>(
    `SELECT pg_backend_pid() AS pid, current_setting('search_path') AS path, current_setting('server_version') AS version`,
  )
  const { pid, path, version } = rows[0] as { pid: number; path: string; version: string }
  if (Number.parseInt(version) < MIN_VERSION)
    throw new DatabaseSetupError(
      `The database ${place} cannot be used: it runs on Postgres ${version}; version ${MIN_VERSION} or later is required`,
      'Update the server, or use another one',
    )
  // a pooler tells its clients an id of its own
  const { processID } = client as Client & { readonly processID: number }
  return { isDirect: pid === processID, keepsSettings: path === schema }
}

interface SessionPlace {
  readonly schema: string
  /** Name and host of the database, for messages. */
  readonly place: string
}

/** Whether a pooler has refused a connection because of the settings that it starts with. */
export function isRefusedSetting(error: unknown): boolean {
  const { code, message = '' } = error as { code?: unknown; message?: string }
  return code === '08P01' && message.includes('startup parameter')
}
