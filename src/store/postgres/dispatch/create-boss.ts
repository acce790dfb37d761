import type { Db, PgBoss } from 'pg-boss'
import { bossSchema } from './job-queues.ts'

/** The package pg-boss. */
export interface BossPackage {
  readonly PgBoss: typeof PgBoss
}

interface BossOptions {
  readonly pgBoss: BossPackage
  readonly db: Db
  /** The schema of the project. */
  readonly schema: string
}

/** How often pg-boss deletes what it keeps no longer; it also finds lost jobs then. */
const MAINTENANCE_S = 60
const DAY_S = 86_400

/** pg-boss without the parts that are not used: they would query at intervals. */
const QUIET = {
  schedule: false,
  supervise: false,
  registerInstance: false,
  persistWarnings: false,
  openTelemetry: { enabled: false },
} as const

/** pg-boss on a schema that has been migrated. */
export function createBoss({ pgBoss, db, schema }: BossOptions): PgBoss {
  return new pgBoss.PgBoss({
    ...QUIET,
    db,
    schema: bossSchema(schema),
    migrate: false,
    supervise: true,
    superviseIntervalSeconds: MAINTENANCE_S,
    // also the minimum between the calls of `supervise` of all machines
    monitorIntervalSeconds: 1,
    flowIntervalSeconds: DAY_S,
    queueCacheIntervalSeconds: DAY_S,
    useListenNotify: true,
  })
}

/** pg-boss that creates its tables in an existing schema, or brings them up to date, when it starts. */
export function createMigratingBoss({ pgBoss, db, schema }: BossOptions): PgBoss {
  return new pgBoss.PgBoss({ ...QUIET, db, schema: bossSchema(schema), createSchema: false })
}
