import type { Pool } from 'pg'
import type { JobResult, JobServer } from '../../dispatcher.ts'
import { attemptsOf, databaseOn } from './job-queues.ts'
import type { FetchedJob, JobQueues } from './job-queues.ts'
import type { OutageLog } from './outage-log.ts'
import { inPoolTransaction } from './pool-transaction.ts'
import { PollLoop } from './poll-loop.ts'
import type { DispatchTiming } from './timing.ts'

/** Jobs in progress at the same time. */
const MAX_AT_ONCE = 200
const MIN_BATCH = 6
const MAX_BATCH = 50
/** A batch is at most this part of what was fetched without a pause, so that machines get similar shares. */
const BATCH_SHARE = 0.1
/** Pause between two full batches: long enough for the other machines to fetch theirs, however busy they are. */
const MIN_PAUSE_MS = 20
const MAX_PAUSE_MS = 50

/** How long a machine that has refused a job leaves those to others that its release has refused. */
const REFUSAL_MS = 30_000
const FIRST_DELAY_S = 0.5
const MAX_DELAY_S = 30

export interface JobFetcherDeps {
  readonly queues: JobQueues
  readonly pool: () => Pool
  readonly server: JobServer
  /** The release of this machine. */
  readonly release: () => string
  readonly timing: DispatchTiming
  readonly outage: OutageLog
}

interface Finished {
  readonly job: FetchedJob
  readonly result: JobResult
}

/** Fetches due jobs as long as this machine has room, and has them done. */
export class JobFetcher {
  readonly #deps: JobFetcherDeps
  readonly #loop = new PollLoop(() => this.#tick())
  readonly #inProgress = new Set<Promise<void>>()
  #finished: Finished[] = []
  #storing: Promise<void> | undefined
  #lacksRoom = false
  /** Jobs that were fetched since the queue was last empty. */
  #fetched = 0
  /** Until then, jobs that this release has refused are left to others. */
  #refusesUntil = -Infinity

  constructor(deps: JobFetcherDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#loop.start()
  }

  /** Jobs are due. */
  wake(): void {
    this.#loop.wake()
  }

  /** The configuration has changed: jobs that it could not do are tried again. */
  refuseNothing(): void {
    this.#refusesUntil = -Infinity
  }

  /** Resolves when the jobs in progress have ended. */
  async stop(): Promise<void> {
    await this.#loop.stop()
    await Promise.all(this.#inProgress)
    await this.#storing
  }

  async #tick(): Promise<number> {
    const { outage } = this.#deps
    // machines look at different times: notifications wake them at the same one
    const pollMs = this.#deps.timing.pollMs * (0.8 + 0.2 * Math.random())
    try {
      const isFull = await this.#fetch()
      outage.ended('fetching jobs')
      return isFull ? MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS) : pollMs
    } catch (error) {
      outage.failed('fetching jobs', error)
      return pollMs
    }
  }

  /** Resolves with whether more jobs may be due. */
  async #fetch(): Promise<boolean> {
    const { queues, server, release } = this.#deps
    const batch = Math.floor(Math.min(Math.max(this.#fetched * BATCH_SHARE, MIN_BATCH), MAX_BATCH))
    const size = Math.min(batch, server.room(), MAX_AT_ONCE - this.#inProgress.size)
    this.#lacksRoom = size <= 0
    if (this.#lacksRoom) return false
    const refuses = performance.now() < this.#refusesUntil
    const jobs = await queues.fetch(size, refuses ? release() : undefined)
    for (const job of jobs) this.#start(job)
    this.#fetched = jobs.length < size ? 0 : this.#fetched + jobs.length
    return jobs.length === size
  }

  #start(job: FetchedJob): void {
    const { server } = this.#deps
    const work = server
      .run(job.data.job, attemptsOf(job))
      // the server has reported why
      .catch((): JobResult => 'later')
      .then((result) => {
        this.#finished.push({ job, result })
        this.#storing ??= this.#store()
      })
      .finally(() => {
        this.#inProgress.delete(work)
        if (this.#lacksRoom) this.wake()
      })
    this.#inProgress.add(work)
  }

  /** Stores the results of the jobs that have ended in the same turn, or while earlier results were stored. */
  async #store(): Promise<void> {
    const { outage } = this.#deps
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#finished.length > 0) {
      const finished = this.#finished
      this.#finished = []
      try {
        await this.#storeAll(finished)
        outage.ended('storing results of jobs')
      } catch (error) {
        // they are done again when their time has run out, and have no effect then
        outage.failed('storing results of jobs', error)
      }
    }
    this.#storing = undefined
  }

  async #storeAll(finished: readonly Finished[]): Promise<void> {
    const { queues, pool, release } = this.#deps
    const of = (wanted: JobResult) => finished.flatMap(({ job, result }) => (result === wanted ? [job] : []))
    await queues.done(of('done'))
    const [later, elsewhere] = [of('later'), of('elsewhere')]
    if (later.length + elsewhere.length === 0) return
    const now = performance.now()
    if (elsewhere.length > 0 && now >= this.#refusesUntil) this.#refusesUntil = now + REFUSAL_MS
    await inPoolTransaction(pool(), async (client) => {
      const db = databaseOn(client)
      await queues.postpone(db, later, { delayOf })
      await queues.postpone(db, elsewhere, { delayOf, refusedBy: release() })
    })
  }
}

/** Seconds until a job is tried again. */
function delayOf(attempts: number): number {
  const max = Math.min(FIRST_DELAY_S * 2 ** (attempts - 1), MAX_DELAY_S)
  return max * (0.5 + Math.random() / 2)
}
