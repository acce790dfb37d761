import type { Clock } from '../lib/clock.ts'
import type { AppError } from '../lib/errors.ts'
import { checkDatabaseUrl, databaseFile } from './database-url.ts'
import { openSqliteStore } from './sqlite/sqlite-store.ts'
import { isPostgresUrl } from './postgres/connection/postgres-url.ts'
import type { Store } from './store.ts'
import type { StoreLogger } from './store-logger.ts'

export interface StoreOptions {
  /** `file:<path>`, a `file://` URL, `:memory:`, or `postgres://user:password@host/database`. */
  readonly url: string
  /** The project's directory, to which relative paths are relative. */
  readonly root: string
  /** `file:<path>`: a SQLite file for logs and traces. Default: they are in the database. */
  readonly telemetry?: string | undefined
  readonly durability?: 'normal' | 'full'
  /** Opens the database without a lock, also while another process owns it. */
  readonly readOnly?: boolean
  /** Of what happens in the background. Default: nothing is logged. */
  readonly logger?: StoreLogger
  /** Brings the schema on Postgres to this release. Default: a schema of another version is an error. */
  readonly migrate?: boolean
  /** Keeps trying when Postgres can't be reached. Default: that is an error. */
  readonly retry?: boolean
  /** By which jobs are due, where this process decides. Default: the system clock. */
  readonly clock?: Clock
  /** Called when the database can't be used any more, with the reason, and with `undefined` when it can again. */
  readonly onHealth?: (problem: AppError | undefined) => void
}

/**
 * Opens the database of a configuration. With `retry` it resolves also when Postgres can't be reached now: the store's
 * health shows the problem, and when it passes.
 *
 * @throws AppError when the database can't be opened.
 */
export async function openStore({ telemetry, ...options }: StoreOptions): Promise<Store> {
  if (telemetry === undefined) return openDatabase(options)
  const { url: _, root, ...rest } = options
  const file = openSqliteStore({ file: databaseFile(telemetry, root), ...rest })
  try {
    return withTelemetryIn(file, await openDatabase(options))
  } catch (error) {
    await file.close()
    throw error
  }
}

async function openDatabase({ url, root, ...options }: Omit<StoreOptions, 'telemetry'>): Promise<Store> {
  checkDatabaseUrl(url)
  if (url === ':memory:') return openSqliteStore({ file: url, ...options })
  if (isPostgresUrl(url)) {
    // only where it is used: most servers start without it
    const { openPostgresStore } = await import('./postgres/open-postgres-store.ts')
    return openPostgresStore({ url, root, ...options })
  }
  return openSqliteStore({ file: databaseFile(url, root), ...options })
}

/** A store whose logs and traces are in another one. */
function withTelemetryIn(telemetry: Store, store: Store): Store {
  return {
    ...store,
    // these change after the store was opened
    get newestRecordAt() {
      return store.newestRecordAt
    },
    logs: telemetry.logs,
    traces: telemetry.traces,
    giveSpaceBack: async () => (await store.giveSpaceBack()) + (await telemetry.giveSpaceBack()),
    close: async () => {
      await store.close()
      await telemetry.close()
    },
  }
}
