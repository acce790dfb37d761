import type { Pool, PoolClient } from 'pg'
import type { Logger } from 'pino'
import type { ScheduledJob } from '../../dispatcher.ts'
import { NOBODY } from '../../queue-store.ts'
import { IS_CONTINUED } from '../../rows/agent-run-columns.ts'
import { databaseOn } from './job-queues.ts'
import type { JobQueues } from './job-queues.ts'
import type { LifeSigns } from './life-signs.ts'
import type { MachineJobs, MachineReport } from './machine-jobs.ts'
import { inPoolTransaction } from './pool-transaction.ts'

/**
 * Delays before an execution is continued whose machines have ended again and again while it was at the same step: a
 * step that ends its process is thus told apart from those that ran beside it.
 */
const DELAYS_MS = [
  { min: 0, max: 0 },
  { min: 5000, max: 15_000 },
  { min: 30_000, max: 60_000 },
] as const

export interface RescueDeps {
  readonly pool: () => Pool
  readonly queues: JobQueues
  readonly machines: MachineJobs
  readonly lifeSigns: LifeSigns
  /** Name of the schema with the executions. */
  readonly schema: string
  readonly logger: Pick<Logger, 'info' | 'debug'>
}

interface Lost {
  readonly id: string
  readonly crashes: number
}

/** Has the executions and answers of dead machines continued by whichever machine has room. */
export class Rescue {
  readonly #deps: RescueDeps

  constructor(deps: RescueDeps) {
    this.#deps = deps
  }

  /** Handles one machine that has ended, if there is one. */
  async next(): Promise<MachineReport | undefined> {
    const { pool, machines, lifeSigns } = this.#deps
    const dead = await inPoolTransaction(pool(), async (client) => {
      const db = databaseOn(client)
      const leftOnly = !lifeSigns.hears
      const job = await machines.fetch(db, { leftOnly })
      if (!job) return undefined
      const { ownerEpoch, left = false } = job.data
      // the answer may have taken as long as an outage
      if (!left && !lifeSigns.hears) throw new LateError()
      const count = await this.#continue(client, ownerEpoch, left ? 'left' : 'crashed')
      await machines.remove(job, db)
      return { ...job.data, count }
    }).catch((error: unknown) => {
      if (error instanceof LateError) return undefined
      throw error
    })
    if (dead) this.#log(dead)
    return dead
  }

  /** Has the executions continued of owners that have no machine any more, such as those of a database that was copied. */
  async adopt(ownerEpochs: readonly number[]): Promise<void> {
    await inPoolTransaction(this.#deps.pool(), async (client) => {
      for (const ownerEpoch of ownerEpochs) await this.#continue(client, ownerEpoch, 'left')
    })
  }

  /** Owners of running executions and agent runs. */
  async owners(): Promise<readonly number[]> {
    const { rows } = await this.#deps.pool().query<{ epoch: string }>(
      `SELECT DISTINCT owner_epoch::text AS epoch FROM "${this.#deps.schema}".executions
       WHERE status = 'running' AND ended_at IS NULL AND owner_epoch <> ${NOBODY}
       UNION SELECT owner_epoch::text FROM "${this.#deps.schema}".agent_runs WHERE ${IS_CONTINUED}`,
    )
    return rows.map(({ epoch }) => Number(epoch))
  }

  async #continue(client: PoolClient, ownerEpoch: number, end: 'left' | 'crashed'): Promise<number> {
    const { schema } = this.#deps
    // locked in the order in which writes lock them
    const lost = `SELECT number, id FROM "${schema}".executions
      WHERE owner_epoch = $1 AND status = 'running' AND ended_at IS NULL ORDER BY id FOR UPDATE`
    const { rows } = await client.query<Lost>(
      end === 'left'
        ? `SELECT id, 0 AS crashes FROM (${lost}) AS lost`
        : `WITH lost AS (${lost})
           UPDATE "${schema}".executions e SET crashes = crashes + 1 FROM lost WHERE e.number = lost.number RETURNING e.id, e.crashes`,
      [ownerEpoch],
    )
    const { rows: runs } = await client.query<Lost>(
      `SELECT id, crashes + 1 AS crashes FROM "${schema}".agent_runs WHERE owner_epoch = $1 AND ${IS_CONTINUED} ORDER BY number`,
      [ownerEpoch],
    )
    const now = end === 'crashed' ? Date.now() : undefined
    await this.#deps.queues.insert(databaseOn(client), [
      ...rows.map((lost) => goOn('go-on', lost, { from: ownerEpoch, now })),
      ...runs.map((lost) => goOn('go-on-run', lost, { from: ownerEpoch, now })),
    ])
    return rows.length + runs.length
  }

  #log({ id, left = false, release, count }: MachineReport & { count: number }): void {
    const { logger } = this.#deps
    const end = `Machine ${id} ${left ? 'has stopped' : 'does not respond'}`
    const moved =
      count === 0 ? '' : `; ${count} execution(s) and answer(s) of it are continued on other machines`
    // the end of a command that took no jobs is no news
    const level = release === '' && count === 0 ? 'debug' : 'info'
    logger[level](end + moved)
  }
}

/** This machine was late itself, and can't tell whether others are dead. */
class LateError extends Error {}

function goOn(
  kind: 'go-on' | 'go-on-run',
  { id, crashes }: Lost,
  { from, now }: { readonly from: number; readonly now: number | undefined },
): ScheduledJob {
  const scheduled: ScheduledJob = { key: `${kind}:${id}:${from}`, job: { kind, id, from } }
  const { min, max } = DELAYS_MS[Math.min(crashes, DELAYS_MS.length) - 1] ?? DELAYS_MS[0]
  if (now === undefined || max === 0) return scheduled
  return { ...scheduled, at: now + min + Math.random() * (max - min) }
}
