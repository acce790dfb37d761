import { randomInt } from 'node:crypto'
import type { AppError } from '../../lib/errors.ts'
import type { RunningWork, Store } from '../store.ts'
import { SILENT } from '../store-logger.ts'
import type { StoreLogger } from '../store-logger.ts'
import { PostgresAgentRuns } from './agents/agent-runs.ts'
import { PostgresBudgets } from './budgets/postgres-budgets.ts'
import { ChangeNotifier } from './changes/change-notifier.ts'
import { NotificationClient } from './changes/notification-client.ts'
import { PostgresChanges } from './changes/postgres-changes.ts'
import { createDatabases } from './connection/create-databases.ts'
import { loadDrivers } from './connection/load-drivers.ts'
import { BossDispatcher } from './dispatch/boss-dispatcher.ts'
import { SqlUsage } from '../sql/usage.ts'
import { SqlConversations } from '../sql/conversations.ts'
import { SqlErasure } from '../sql/erasure.ts'
import { SqlEvals } from '../sql/evals.ts'
import { sqlExecutions } from '../sql/executions.ts'
import { SqlFailures } from '../sql/failures.ts'
import { SqlEvents } from '../sql/events.ts'
import { SqlSchedules } from '../sql/schedules.ts'
import { WorkingMemory } from '../sql/working-memory.ts'
import { executionPruner } from './executions/execution-pruner.ts'
import { PostgresExecutionWriter } from './executions/execution-writer.ts'
import { postgresLogs } from './logs/logs.ts'
import { migrateSchema, requireMigrated } from './migrations/migrate-schema.ts'
import { PostgresSql } from './postgres-sql.ts'
import { postgresQueue } from './queue/postgres-queue.ts'
import { foundByQuery, PostgresSearch } from './search/postgres-search.ts'
import { newestRecordQuery } from '../sql/newest-record.ts'
import { postgresTraces } from './traces/traces.ts'
import { IS_LISTED } from '../rows/executions/execution-columns.ts'
import { NOBODY } from '../queue-store.ts'
import type { PostgresQueries } from './connection/database.ts'

export interface PostgresOptions {
  readonly url: string
  /** The project's directory. Its package names the schema, unless the URL does. */
  readonly root: string
  /** Of what happens in the background. Default: nothing is logged. */
  readonly logger?: StoreLogger
  /** The process only reads, and is no machine that others know. */
  readonly readOnly?: boolean
  /** Brings the schema to this release. Default: another version is an error. */
  readonly migrate?: boolean
  /** Keeps trying when the database can't be reached. Default: that is an error. */
  readonly retry?: boolean
  /** Called when the database can't be used any more, with the reason, and with `undefined` when it can again. */
  readonly onHealth?: (problem: AppError | undefined) => void
}

/** Every process chooses an owner epoch itself, as it must be known before the database can be reached. */
const MAX_OWNER_EPOCH = 2 ** 48 - 1

/**
 * Opens the Postgres backend. With `retry` it resolves also when the database can't be reached now.
 *
 * @throws AppError `invalid_config` if the URL is not valid or a package is missing, and `unavailable` if the database
 * can't be reached or has to be changed first.
 */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { readOnly = false, migrate = false, retry = false } = options
  const { logger = SILENT, onHealth = () => undefined } = options
  const drivers = await loadDrivers(options.root)
  const { pgBoss } = drivers
  const ownerEpoch = randomInt(1, MAX_OWNER_EPOCH)
  const closing = new AbortController()
  let newest: number | undefined
  let closed: Promise<void> | undefined
  const databases = createDatabases(drivers, {
    ...options,
    onHealth,
    prepare: async (client, target) => {
      const { createPool } = databases
      if (migrate) await migrateSchema(target, { client, pgBoss, createPool, logger })
      else await requireMigrated(client, target)
      const { rows } = await client.query<{ at: number | null }>(newestRecordQuery(`${schema}.`))
      newest = rows[0]?.at ?? undefined
      if (!readOnly) await dispatcher.start()
    },
  })
  const { schema, reads, writes, telemetry } = databases
  const notifications = new NotificationClient({ databases })
  const dispatcher = new BossDispatcher({
    pgBoss,
    databases,
    notifications,
    ownerEpoch,
    logger,
  })
  const notifier = new ChangeNotifier({ databases, ownerEpoch })
  const aliveEpochs = () => dispatcher.aliveEpochs()
  const telemetrySql = new PostgresSql({ reads: telemetry, writes: telemetry, jobs: dispatcher.jobs })
  const ofTelemetry = { database: telemetry, sql: telemetrySql, ownerEpoch, aliveEpochs }
  const logs = postgresLogs(ofTelemetry)
  const traces = postgresTraces(ofTelemetry)
  /** Telemetry waits in its queue, which is bounded, while the database is away. */
  const whenUsable = async (write: () => Promise<void>) => {
    await databases.health.usable()
    await write()
  }
  const close = async () => {
    closing.abort()
    await databases.health.close()
    await dispatcher.close()
    await notifier.close()
    await notifications.close()
    await databases.close()
  }
  const { jobs } = dispatcher
  const writer = new PostgresExecutionWriter({
    database: writes,
    ownerEpoch,
    jobs,
    onCommitted: (ids) => notifier.onCommitted(ids),
    closing: closing.signal,
  })
  const sql = new PostgresSql({ reads, writes, jobs })
  /** Its writes wait for a database that is away. */
  const lasting = new PostgresSql({ reads, writes, jobs, closing: closing.signal })
  // an outage is reported by the health of the database
  if (!readOnly) void databases.health.opened.then(() => writer.warm()).catch(() => undefined)
  const store: Store = {
    ownerEpoch,
    health: {
      get problem() {
        return databases.health.publicProblem
      },
      waits: true,
      opened: databases.health.opened,
    },
    get newestRecordAt() {
      return newest
    },
    running: () => runningWork(databases.reads),
    executions: {
      ...sqlExecutions(sql, foundByQuery),
      write: (batch) => writer.write(batch),
      prune: executionPruner(sql),
    },
    failures: new SqlFailures(sql),
    agentRuns: new PostgresAgentRuns({
      sql,
      writes,
      ownerEpoch,
      aliveEpochs,
      onCommitted: (ids) => notifier.onCommitted(ids),
      closing: closing.signal,
    }),
    conversations: new SqlConversations(sql, (ids) => notifier.onCommitted(ids)),
    workingMemory: new WorkingMemory(sql),
    logs: { ...logs, insert: (rows) => whenUsable(() => logs.insert(rows)) },
    traces: { ...traces, write: (changes) => whenUsable(() => traces.write(changes)) },
    usage: new SqlUsage(sql),
    budgets: new PostgresBudgets({ databases, closing: closing.signal }),
    schedules: new SqlSchedules(sql),
    queue: postgresQueue({ databases, jobs: dispatcher.jobs }),
    evals: new SqlEvals(lasting),
    events: new SqlEvents(lasting),
    search: new PostgresSearch(sql, telemetrySql),
    // autovacuum purges
    erasure: new SqlErasure(sql, {
      purge: async () => undefined,
      onCommitted: (ids) => notifier.onCommitted(ids),
    }),
    dispatcher,
    // Postgres uses the space again
    giveSpaceBack: async () => 0,
    changes: new PostgresChanges({
      databases,
      ownerEpoch,
      notifications,
      announce: (ids) => notifier.onCommitted(ids),
    }),
    close: () => (closed ??= close()),
  }
  try {
    await databases.open({ retry })
  } catch (error) {
    await store.close()
    throw error
  }
  return store
}

/** The workflows and agents that run on any machine. Executions that wait for a slot don't run. */
async function runningWork(database: PostgresQueries): Promise<RunningWork> {
  const rows = await database.rows<{ kind: 'workflow' | 'agent'; id: string }>({
    name: 'running-work',
    text: `SELECT DISTINCT 'workflow' AS kind, workflow_id AS id FROM executions
        WHERE ended_at IS NULL AND status = 'running' AND ${IS_LISTED} AND owner_epoch <> ${NOBODY}
      UNION ALL SELECT DISTINCT 'agent', agent_id FROM agent_runs WHERE ended_at IS NULL AND status = 'running'`,
  })
  const of = (wanted: string) => new Set(rows.flatMap(({ kind, id }) => (kind === wanted ? [id] : [])))
  return { workflows: of('workflow'), agents: of('agent') }
}
