import type { Pool, PoolClient } from 'pg'
import type { Logger } from 'pino'
import { InFlightCount, judgeCrash, stepsInFlight } from '../../crash.ts'
import type { Crash, InFlight, ProcessEnd } from '../../crash.ts'
import type { ScheduledJob } from '../../dispatcher.ts'
import { foldSteps } from '../../rows/executions/journal-row.ts'
import { NOBODY } from '../../queue-store.ts'
import { isTakenOver } from '../../rows/agent-run-columns.ts'
import { databaseOn } from './job-queues.ts'
import type { JobQueues } from './job-queues.ts'
import type { LifeSigns } from './life-signs.ts'
import type { MachineJobs, MachineReport } from './machine-jobs.ts'
import { inPoolTransaction } from './pool-transaction.ts'

/** What ends of processes say is kept for this time: by then their work has another owner. */
const KEPT_MS = 30 * 24 * 3_600_000
/** Executions whose steps are read at the same time. */
const AT_ONCE = 50

export interface TakeOverDeps {
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
}

interface DeadOwner {
  readonly ownerEpoch: number
  /** The release whose machines come first. */
  readonly release?: string | undefined
}

/** Has the executions and answers of dead machines continued by whichever machine has room. */
export class TakeOver {
  readonly #deps: TakeOverDeps

  constructor(deps: TakeOverDeps) {
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
      const { ownerEpoch, left = false, settled = false } = job.data
      const { how = left ? 'stopped' : 'unknown' } = job.data
      // the answer may have taken as long as an outage
      if (!left && !lifeSigns.hears) throw new LateError()
      // one that stops makes room for the next release
      const release = left ? undefined : job.data.release
      const count = await this.#continue(client, { ownerEpoch, release }, { how, settled })
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
      for (const ownerEpoch of ownerEpochs)
        await this.#continue(client, { ownerEpoch }, { how: 'stopped', settled: false })
    })
  }

  /** Owners of running executions and agent runs. */
  async owners(): Promise<readonly number[]> {
    const { pool, schema } = this.#deps
    const { rows } = await pool().query<{ epoch: string }>(
      `SELECT DISTINCT owner_epoch::text AS epoch FROM "${schema}".executions
       WHERE status = 'running' AND ended_at IS NULL AND owner_epoch <> ${NOBODY}
       UNION SELECT owner_epoch::text FROM "${schema}".agent_runs WHERE ${isTakenOver(`"${schema}".executions`)}`,
    )
    return rows.map(({ epoch }) => Number(epoch))
  }

  /** What the end of a dead process says about what was in flight in it. */
  async crashOf(ownerEpoch: number): Promise<Crash> {
    const { pool, schema } = this.#deps
    const text = `SELECT crash FROM "${schema}".lives WHERE owner_epoch = $1`
    const { rows } = await pool().query<{ crash: Crash }>(text, [ownerEpoch])
    return rows[0]?.crash ?? 'none'
  }

  async #continue(client: PoolClient, dead: DeadOwner, end: ProcessEnd): Promise<number> {
    const { schema } = this.#deps
    const { ownerEpoch } = dead
    // locked in the order in which writes lock them
    const lost = `SELECT number, id FROM "${schema}".executions
      WHERE owner_epoch = $1 AND status = 'running' AND ended_at IS NULL ORDER BY id FOR UPDATE`
    const { rows } = await client.query<Lost>(lost, [ownerEpoch])
    await this.#judge(client, ownerEpoch, { end, executions: rows })
    const { rows: runs } = await client.query<Lost>(
      `SELECT id FROM "${schema}".agent_runs WHERE owner_epoch = $1
       AND ${isTakenOver(`"${schema}".executions`)}
       ORDER BY number`,
      [ownerEpoch],
    )
    await this.#deps.queues.insert(databaseOn(client), [
      ...rows.map(({ id }) => continueJob('continue', id, dead)),
      ...runs.map(({ id }) => continueJob('continue-run', id, dead)),
    ])
    return rows.length + runs.length
  }

  async #judge(
    client: PoolClient,
    ownerEpoch: number,
    { end, executions }: { readonly end: ProcessEnd; readonly executions: readonly Lost[] },
  ): Promise<void> {
    const { schema } = this.#deps
    const crash = judgeCrash(end, await this.#inFlight(client, ownerEpoch, executions))
    if (crash === 'none') return
    const now = Date.now()
    await client.query(
      `INSERT INTO "${schema}".lives (owner_epoch, crash, at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
      [ownerEpoch, crash, now],
    )
    await client.query(`DELETE FROM "${schema}".lives WHERE at < $1`, [now - KEPT_MS])
  }

  async #inFlight(client: PoolClient, ownerEpoch: number, executions: readonly Lost[]): Promise<InFlight> {
    const { schema } = this.#deps
    const count = new InFlightCount()
    const { rows: answers } = await client.query<{ trial: null }>(
      `SELECT NULL AS trial FROM "${schema}".agent_runs WHERE ended_at IS NULL AND status = 'running' AND owner_epoch = $1
       AND requester IS NULL AND NOT EXISTS (SELECT FROM "${schema}".executions e WHERE e.id = agent_runs.id)`,
      [ownerEpoch],
    )
    count.add(answers)
    for (let next = 0; next < executions.length && !count.isEnough; next += AT_ONCE) {
      const ids = executions.slice(next, next + AT_ONCE).map(({ id }) => id)
      const { rows } = await client.query<{ steps: string }>(
        `SELECT '[' || string_agg(steps, ',' ORDER BY seq) || ']' AS steps FROM "${schema}".journal
         JOIN "${schema}".executions e ON e.number = execution
         WHERE e.id = ANY ($1::text[]) AND octet_length(steps) > 2 GROUP BY execution`,
        [ids],
      )
      for (const { steps } of rows) count.add(stepsInFlight(foldSteps(steps)))
    }
    return count.inFlight
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

function continueJob(
  kind: 'continue' | 'continue-run',
  id: string,
  { ownerEpoch: from, release }: DeadOwner,
): ScheduledJob {
  return { key: `${kind}:${id}:${from}`, job: { kind, id, from, ...(release && { release }) } }
}
