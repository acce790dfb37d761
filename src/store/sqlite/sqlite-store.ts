import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { byteSize } from '../../lib/byte-size.ts'
import { systemClock } from '../../lib/clock.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { Store } from '../store.ts'
import { SILENT } from '../store-logger.ts'
import type { StoreLogger } from '../store-logger.ts'
import { SqliteAgentRuns } from './agent-runs.ts'
import { SqliteBudgets } from './budgets/sqlite-budgets.ts'
import { SqlConversations } from '../sql/conversations.ts'
import { SqlErasure } from '../sql/erasure.ts'
import { SqlEvals } from '../sql/evals.ts'
import { sqlExecutions } from '../sql/executions.ts'
import { SqlFailures } from '../sql/failures.ts'
import { newestRecordQuery } from '../sql/newest-record.ts'
import { SqlEvents } from '../sql/events.ts'
import { SqlSchedules } from '../sql/schedules.ts'
import { SqlUsage } from '../sql/usage.ts'
import { WorkingMemory } from '../sql/working-memory.ts'
import { copyBeforeMigration, deleteOldCopies } from './backup/copy-before-migration.ts'
import { Checkpoints, MAX_WAL_PAGES } from './checkpoints.ts'
import { EmbeddedDispatcher } from './dispatch/embedded-dispatcher.ts'
import { Lives } from './dispatch/lives.ts'
import { JobTable } from './dispatch/job-table.ts'
import { openDatabase, preferredDriver } from './driver.ts'
import type { Database, DriverName } from './driver.ts'
import { ExecutionPruner } from './executions/execution-pruner.ts'
import { ExecutionWriter } from './executions/execution-writer.ts'
import { giveSpaceBack, prepareToGiveBack } from './file-space.ts'
import { lockDatabase } from './file-lock.ts'
import type { FileLock } from './file-lock.ts'
import { databaseError } from './health/database-error.ts'
import { BUSY_TIMEOUT_MS, DatabaseHealth, setBusyTimeout } from './health/database-health.ts'
import { guardFiles } from './health/guard-files.ts'
import { createPrivateFile, makePrivate } from '../../lib/files/private-files.ts'
import { monitoredDatabase } from './health/monitored-database.ts'
import { SqliteLogs } from './logs.ts'
import { Queue, sqliteQueue } from './queue/queue.ts'
import { foundByMatch, SqliteSearch } from './search/sqlite-search.ts'
import { sqliteTraces } from './traces/traces.ts'
import { SqliteSql } from './sqlite-sql.ts'
import { migrate, requireCurrentSchema, requireKnownVersion, SCHEMA_VERSION } from './migrations/migrate.ts'

export interface SqliteOptions {
  /** A file path, or `:memory:`. */
  readonly file: string
  /** `normal` survives a crash of the process, `full` also one of the machine, with an fsync for each commit. */
  readonly durability?: 'normal' | 'full'
  /** Opens without a lock and without migrating, also while another process owns the file. */
  readonly readOnly?: boolean
  readonly driver?: DriverName
  /** Of what takes time at the opening, and of a rescue copy. Default: nothing is logged. */
  readonly logger?: StoreLogger
  /** By which jobs are due. Default: the system clock. */
  readonly clock?: Clock
  /** Called when the database can't be used any more, with the reason, and with `undefined` when it can again. */
  readonly onHealth?: (problem: AppError | undefined) => void
  /** A database in memory that is open, and stays open when the store is closed, in place of `file`. */
  readonly database?: Database
}

/**
 * Opens the SQLite backend: locks the file, migrates its schema and raises the owner epoch.
 *
 * @throws AppError `database_locked` if another process owns it, `unavailable` if the file is damaged, not a database,
 * of another program, of a later release or from before the first one, or not readable and writable.
 */
export function openSqliteStore(options: SqliteOptions): Store {
  const { file, durability = 'normal', readOnly = false, driver = preferredDriver() } = options
  const { onHealth = () => undefined, clock = systemClock, logger = SILENT, database: opened } = options
  if (readOnly && !existsSync(file)) return openSqliteStore({ file: ':memory:', driver })
  const owned = file !== ':memory:' && !readOnly
  let lock: FileLock | undefined
  try {
    if (owned) lock = lockDatabase(file, driver)
    // SQLite gives its further files the permissions of the database
    if (owned) createPrivateFile(file)
    if (owned) makePrivate(dirname(file))
    const database = opened
      ? ownDatabase(opened)
      : prepareDatabase({ file, durability, readOnly, driver, logger })
    const health = new DatabaseHealth(database, { file, readOnly, onHealth })
    const checkpoints = owned ? new Checkpoints(database, file, driver) : undefined
    if (lock) lock = guardFiles(file, { database, driver, lock, health, logger })
    return storeOf(monitoredDatabase(database, health, checkpoints), {
      file: owned ? file : undefined,
      health,
      clock,
      readOnly,
      checkpoints,
      close: async () => {
        health.close()
        if (opened) return
        const ending = checkpoints?.close()
        if (ending) await ending
        close(database, lock)
      },
    })
  } catch (error) {
    lock?.release()
    throw databaseError(error, `The database ${file}`) ?? error
  }
}

function prepareDatabase({
  file,
  durability,
  readOnly,
  driver,
  logger,
}: Required<Omit<SqliteOptions, 'onHealth' | 'clock' | 'database'>>): Database {
  const database = openDatabase(file, { readOnly }, driver)
  try {
    setBusyTimeout(database, BUSY_TIMEOUT_MS)
    requireOwnTables(database, file)
    if (readOnly) {
      // libsql ignores its read-only option
      database.exec('PRAGMA query_only = ON')
      requireCurrentSchema(database, `The database ${file}`)
      return database
    }
    const version = requireKnownVersion(database, `The database ${file}`)
    if (version === 0) {
      // until the first checkpoint all of a new database is in its WAL
      database.exec('PRAGMA synchronous = OFF')
      prepareToGiveBack(database)
    }
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability}`)
    // macOS, whose fsync leaves data in the cache of the disk: a power failure at a checkpoint could damage the database
    database.exec(`PRAGMA fullfsync = ${durability === 'full'}; PRAGMA checkpoint_fullfsync = true`)
    // what was deleted is overwritten, also in pages that are free
    database.exec('PRAGMA secure_delete = ON')
    database.exec(`PRAGMA wal_autocheckpoint = ${MAX_WAL_PAGES}; PRAGMA journal_size_limit = 41943040`)
    database.exec('PRAGMA cache_size = -32000')
    bringUpToDate(database, { file, version, logger })
    return ownDatabase(database)
  } catch (error) {
    database.close()
    throw error
  }
}

/** Makes this process the owner of a database, and every earlier one a former owner. */
function ownDatabase(database: Database): Database {
  database.exec('UPDATE owner SET epoch = epoch + 1')
  return database
}

/** Migrates a database, after a copy of it, and logs what happens, as it may take minutes. */
function bringUpToDate(
  database: Database,
  { file, version, logger }: { file: string; version: number; logger: StoreLogger },
): void {
  const isOlder = version > 0 && version < SCHEMA_VERSION
  const startedAt = performance.now()
  if (isOlder) {
    logger.info(
      `Migrating the database ${file} (${byteSize(statSync(file).size)}) from schema version ${version} to ${SCHEMA_VERSION}, ${SCHEMA_VERSION - version} steps`,
    )
    const copy = copyBeforeMigration(database, file, version)
    logger.info(`Copied the database to ${copy}, which is kept for 7 days`)
  }
  migrate(database)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  if (isOlder)
    logger.info(`Migrated the database in ${seconds} s: it has schema version ${SCHEMA_VERSION} now`)
}

/** @throws AppError `unavailable` if the file has tables, but not ours. */
function requireOwnTables(database: Database, file: string): void {
  const { tables, own } = database
    .prepare(
      `SELECT count(*) AS tables, total(name = 'owner') AS own FROM sqlite_schema WHERE type = 'table'`,
    )
    .get() as { tables: number; own: number }
  if (tables === 0 || own > 0) return
  throw new AppError('unavailable', `The database ${file} belongs to another program`, {
    hint: 'Set "database" in the configuration to another file',
  })
}

/** Closes the database. Its owner writes the WAL back first, as libsql does not. */
function close(database: Database, lock: FileLock | undefined): void {
  try {
    if (lock) database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    // on a full disk the commits stay in the WAL
    if (!databaseError(error)) throw error
  } finally {
    database.close()
    lock?.release()
  }
}

function storeOf(
  database: Database,
  {
    file,
    health,
    clock,
    readOnly,
    checkpoints,
    close,
  }: {
    /** Of the process that owns it. */
    readonly file: string | undefined
    readonly health: DatabaseHealth
    readonly clock: Clock
    readonly readOnly: boolean
    readonly checkpoints: Checkpoints | undefined
    readonly close: () => Promise<void>
  },
): Store {
  const { ownerEpoch } = database.prepare('SELECT epoch AS ownerEpoch FROM owner').get() as {
    ownerEpoch: number
  }
  const newest = database.prepare(newestRecordQuery()).get() as { at: number | null }
  const jobs = new JobTable(database, clock)
  const sql = new SqliteSql(database, jobs)
  const queue = new Queue(database)
  const writer = new ExecutionWriter(database, jobs, queue)
  const pruner = new ExecutionPruner(database)
  const agentRuns = new SqliteAgentRuns(database, sql, ownerEpoch)
  const search = new SqliteSearch(database, sql)
  const lives = new Lives(database, ownerEpoch)
  if (!readOnly) lives.begin()
  const dispatcher = new EmbeddedDispatcher({ database, table: jobs, lives, ownerEpoch, clock, health })
  return {
    ownerEpoch,
    health,
    newestRecordAt: newest.at ?? undefined,
    executions: {
      ...sqlExecutions(sql, foundByMatch),
      write: (writes) => writer.write(writes),
      prune: async (retention, limit) => pruner.prune(retention, limit),
    },
    failures: new SqlFailures(sql),
    agentRuns,
    conversations: new SqlConversations(sql),
    workingMemory: new WorkingMemory(sql),
    logs: new SqliteLogs(database, sql),
    traces: sqliteTraces(database, sql, ownerEpoch),
    usage: new SqlUsage(sql),
    budgets: new SqliteBudgets(database),
    schedules: new SqlSchedules(sql),
    queue: sqliteQueue(database, queue, jobs),
    events: new SqlEvents(sql),
    evals: new SqlEvals(sql),
    search,
    erasure: new SqlErasure(sql, {
      purge: () => purge(database, search, checkpoints),
      onCommitted: () => undefined,
    }),
    dispatcher,
    // one process writes the file
    changes: { follow: () => () => undefined, announce: () => undefined },
    giveSpaceBack: async () => {
      if (file !== undefined) deleteOldCopies(file, clock.now())
      return giveSpaceBack(database)
    },
    close: async () => {
      dispatcher.close()
      agentRuns.flush()
      await close()
    },
  }
}

/** Removes what deletions leave in the index and in the log of the file. */
async function purge(
  database: Database,
  search: SqliteSearch,
  checkpoints: Checkpoints | undefined,
): Promise<void> {
  for (let isMerging = search.mergeDeleted(true); isMerging;) {
    await nextTurn()
    isMerging = search.mergeDeleted(false)
  }
  await checkpoints?.idle()
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}
