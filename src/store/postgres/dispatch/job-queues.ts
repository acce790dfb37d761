import { createHash } from 'node:crypto'
import type { Db, Job as BossJob, JobInsert, PgBoss } from 'pg-boss'
import type { ClientBase, Pool } from 'pg'
import type { PostgresQueries } from '../connection/database.ts'
import type { Job, JobChange, ScheduledJob } from '../../dispatcher.ts'

/** The queue of the life signs: one delayed job for each machine, due when the machine is dead. */
export const MACHINES = 'machines'
export const JOBS = 'jobs'

/** A job that takes longer was lost with the machine that had fetched it. */
export const JOB_MS = 5000

/** Key of the jobs that could not be done, by which all of them are found. */
const LATER = 'later'
/** In one statement; bounds the memory of a take-over. */
const MAX_INSERTED = 2000
/** Maximum of pg-boss: a job that waits this long is deleted. */
const RETENTION_S = 365 * 86_400
const MAX_INT = 2_147_483_647

/** The data of a job in the queue. */
export interface QueuedJob {
  readonly job: Job
  /** Orders jobs that are fetched together: microseconds since the epoch at which it is due. */
  readonly order: number
  /** How often it was tried. */
  readonly attempts?: number
}

interface Postponement {
  /** Returns seconds. */
  readonly delayOf: (attempts: number) => number
  /** The release whose machines can't do them. */
  readonly refusedBy?: string | undefined
}

export type FetchedJob = BossJob<QueuedJob>

/** The schema of pg-boss beside that of a project. */
export function bossSchema(schema: string): string {
  return `${schema}_boss`
}

/** The id of the job with a key, so that a key has never more than one job. */
export function jobIdOf(key: string): string {
  const hash = createHash('sha256').update(key).digest('hex')
  return [8, 12, 16, 20, 32].map((end, i) => hash.slice([0, 8, 12, 16, 20][i], end)).join('-')
}

/** Creates the queues. */
export async function createQueues(boss: PgBoss): Promise<void> {
  const options = {
    notify: true,
    retryLimit: MAX_INT,
    retryDelay: 0,
    retentionSeconds: RETENTION_S,
    expireInSeconds: JOB_MS / 1000,
    // it counts jobs that wait for their time
    warningQueueSize: MAX_INT,
  }
  for (const name of [MACHINES, JOBS]) await boss.createQueue(name, options)
}

/** The jobs in the database, stored by pg-boss. */
export class JobQueues {
  readonly boss: PgBoss
  /** Milliseconds that the clock of the database is ahead of this machine's. */
  clockOffset = 0

  constructor(boss: PgBoss) {
    this.boss = boss
  }

  async change(tx: PostgresQueries, { add = [], drop = [] }: JobChange): Promise<void> {
    await this.drop(tx, drop)
    await this.add(tx, add)
  }

  async add(tx: PostgresQueries, jobs: readonly ScheduledJob[]): Promise<void> {
    // the last one of those with the same key replaces the others
    const byKey = new Map(jobs.map((job) => [job.key, job]))
    await this.drop(tx, [...byKey.keys()])
    await this.insert(databaseOf(tx), [...byKey.values()])
  }

  async drop(tx: PostgresQueries, keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await this.boss.deleteJob(JOBS, keys.map(jobIdOf), { db: databaseOf(tx) })
  }

  /** Stores jobs whose keys have no job yet. */
  async insert(db: Db, jobs: readonly ScheduledJob[]): Promise<void> {
    const now = Date.now()
    const rows = jobs.map(({ key, job, at = now }, index): JobInsert<QueuedJob> => {
      const due = Math.round(at + this.clockOffset)
      const data = { job, order: due * 1000 + index }
      return { id: jobIdOf(key), data, ...(at > now && { startAfter: new Date(due) }) }
    })
    for (let from = 0; from < rows.length; from += MAX_INSERTED)
      await this.boss.insert(JOBS, rows.slice(from, from + MAX_INSERTED), { db })
  }

  /** Due jobs, without those that machines of the release `refusedBy` have refused. */
  async fetch(batchSize: number, refusedBy?: string): Promise<readonly FetchedJob[]> {
    const ignored = refusedBy === undefined ? {} : { ignoreGroups: [refusalBy(refusedBy)] }
    const jobs = await this.boss.fetch<QueuedJob>(JOBS, { batchSize, ...ignored })
    return jobs.toSorted((a, b) => a.data.order - b.data.order)
  }

  /** Deletes jobs that are done, unless they were replaced meanwhile. */
  async done(jobs: readonly FetchedJob[]): Promise<void> {
    if (jobs.length > 0) await this.boss.deleteJob(JOBS, [...jobs])
  }

  /** Has jobs tried again after a delay, unless they were replaced meanwhile. */
  async postpone(db: Db, jobs: readonly FetchedJob[], { delayOf, refusedBy }: Postponement): Promise<void> {
    if (jobs.length === 0) return
    const { settled = [] } = (await this.boss.deleteJob(JOBS, [...jobs], { db })) as { settled?: string[] }
    const again = jobs.filter(({ id }) => settled.includes(id))
    const rows = again.map((fetched): JobInsert<QueuedJob> => {
      const attempts = attemptsOf(fetched)
      return {
        id: fetched.id,
        data: { ...fetched.data, attempts },
        singletonKey: LATER,
        startAfter: delayOf(attempts),
        ...(refusedBy !== undefined && { group: { id: refusalBy(refusedBy) } }),
      }
    })
    if (rows.length > 0) await this.boss.insert(JOBS, rows, { db })
  }

  /** Makes the postponed jobs due. */
  async expedite(queries: PostgresQueries): Promise<void> {
    const options = { singletonKey: LATER, match: 'all', startAfter: 0, db: databaseOf(queries) } as const
    await this.boss.update(JOBS, undefined, options)
  }
}

/** The group of the jobs that a release can't do: a fetch can leave groups out. */
function refusalBy(release: string): string {
  return `refused by ${release}`
}

/** How often a job was tried, the current time included. Attempts that ended with their machine count. */
export function attemptsOf({ data, retryCount }: FetchedJob): number {
  return (data.attempts ?? 0) + retryCount + 1
}

/** A transaction of the store, as pg-boss takes it. */
export function databaseOf(tx: PostgresQueries): Db {
  return {
    executeSql: async (text, values = []) => ({ rows: await tx.rows({ text, values }) }),
  }
}

/** A pool or a connection, as pg-boss takes it. */
export function databaseOn(client: Pool | ClientBase): Db {
  return { executeSql: (text, values) => client.query(text, values) }
}
