import type { Pool } from 'pg'
import { messageOf } from '../../../lib/errors.ts'
import { createMigratingBoss } from './create-boss.ts'
import type { BossPackage } from './create-boss.ts'
import { createQueues, databaseOn, JobQueues } from './job-queues.ts'

interface MigrateJobsOptions {
  readonly pgBoss: BossPackage
  readonly pool: Pool
  /** The schema of the project. */
  readonly schema: string
}

/** Creates the tables and the queues of pg-boss in its schema, or brings them up to date. */
export async function migrateJobs(options: MigrateJobsOptions): Promise<void> {
  await withJobQueues(options, ({ boss }) => createQueues(boss))
}

/** Calls `work` with the queues, in a process that is no machine. */
export async function withJobQueues(
  { pgBoss, pool, schema }: MigrateJobsOptions,
  work: (queues: JobQueues) => Promise<void>,
): Promise<void> {
  const boss = createMigratingBoss({ pgBoss, db: databaseOn(pool), schema })
  let failure: unknown
  boss.on('error', (error) => (failure ??= error))
  await boss.start()
  try {
    await work(new JobQueues(boss))
  } finally {
    await boss.stop()
  }
  if (failure !== undefined) throw new Error(`pg-boss: ${messageOf(failure)}`, { cause: failure })
}
