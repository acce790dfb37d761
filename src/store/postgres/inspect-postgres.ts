import { randomUUID } from 'node:crypto'
import { delay } from '../../lib/clock.ts'
import { createDeferred } from '../../lib/async/wake-up.ts'
import { createDatabases } from './connection/create-databases.ts'
import type { PostgresDatabases } from './connection/postgres-databases.ts'
import { loadDrivers } from './connection/load-drivers.ts'
import { parsePostgresUrl } from './connection/postgres-url.ts'
import { DISPATCH_CONNECTIONS } from './dispatch/boss-dispatcher.ts'
import { POSTGRES_SCHEMA_VERSION, versionOfSchema } from './migrations/version-of-schema.ts'

export interface PostgresReport {
  readonly schema: string
  /** Name and host of the database. */
  readonly place: string
  /** Of the server, such as `17.2`. */
  readonly version: string
  /** Whether the schema has the version of this release. */
  readonly isMigrated: boolean
  /**
   * Whether a notification that one connection sent was received by another that listens. `polled`: a pooler is in
   * between, so machines don't listen.
   */
  readonly notifications: 'received' | 'lost' | 'polled'
  /** Milliseconds that the clock of the database is ahead of this machine's. */
  readonly clockOffset: number
  /** How many connections one server of this configuration opens at most, and all of the project and others may. */
  readonly connections: { readonly own: number; readonly max: number }
}

/** One connection waits for notifications. */
const LISTENING = 1
const NOTIFICATION_MS = 3000

/**
 * What a server finds when it opens the database of a project. Changes nothing.
 *
 * @throws AppError as `openPostgresStore`.
 */
export async function inspectPostgres(options: {
  readonly url: string
  readonly root: string
}): Promise<PostgresReport> {
  const drivers = await loadDrivers(options.root)
  let schemaVersion = 0
  const databases = createDatabases(drivers, {
    ...options,
    prepare: async (client, target) => {
      schemaVersion = await versionOfSchema(client, target)
    },
  })
  const { schema, place, reads } = databases
  try {
    await databases.open()
    const before = Date.now()
    const [server] = await reads.rows<{ version: string; max: number; now: number }>({
      text: `SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS max,
        (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`,
    })
    const { version, max, now } = server as { version: string; max: number; now: number }
    const { poolSize } = parsePostgresUrl(options.url)
    return {
      schema,
      place,
      version,
      isMigrated: schemaVersion === POSTGRES_SCHEMA_VERSION,
      notifications: databases.listens ? await tryNotification(databases) : 'polled',
      clockOffset: now - (before + Date.now()) / 2,
      connections: {
        own: 2 * poolSize + Math.ceil(poolSize / 2) + DISPATCH_CONNECTIONS + LISTENING,
        max,
      },
    }
  } finally {
    await databases.close()
  }
}

/** Sends a notification on one connection, and waits for it on another. */
async function tryNotification(
  databases: Pick<PostgresDatabases, 'connect' | 'reads'>,
): Promise<'received' | 'lost'> {
  const channel = `agentserver_${randomUUID()}`
  const client = await databases.connect()
  const timer = new AbortController()
  try {
    const received = createDeferred<'received'>()
    client.on('notification', () => received.resolve('received'))
    await client.query(`LISTEN "${channel}"`)
    await databases.reads.rows({ text: 'SELECT pg_notify($1, $2)', values: [channel, ''] })
    const late = delay(NOTIFICATION_MS, timer.signal).then(
      () => 'lost' as const,
      () => 'lost' as const,
    )
    return await Promise.race([received.promise, late])
  } finally {
    timer.abort()
    await client.end()
  }
}
