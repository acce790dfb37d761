import { setTimeout as delay } from 'node:timers/promises'
import type { Db, PgBoss } from 'pg-boss'
import type { Pool } from 'pg'
import { lazy } from '../../../lib/async/lazy.ts'
import type { NotificationClient } from '../changes/notification-client.ts'
import type { PostgresDatabases } from '../connection/postgres-databases.ts'
import type { JobWriter } from '../executions/job-writer.ts'
import type { Crash, ProcessEnd } from '../../crash.ts'
import type { Dispatcher, JobChange, JobServer, Machine } from '../../dispatcher.ts'
import type { StoreLogger } from '../../store-logger.ts'
import { createBoss } from './create-boss.ts'
import type { BossPackage } from './create-boss.ts'
import { JOB_MS, JobQueues, JOBS, MACHINES } from './job-queues.ts'
import { JobFetcher } from './job-fetcher.ts'
import { LifeSigns } from './life-signs.ts'
import { MachineJobs } from './machine-jobs.ts'
import { OutageLog } from './outage-log.ts'
import { PollLoop } from './poll-loop.ts'
import { TakeOver } from './take-over.ts'
import { OrphanedExecutions } from './orphaned-executions.ts'
import { DISPATCH_TIMING } from './timing.ts'
import type { DispatchTiming } from './timing.ts'

export interface BossDispatcherOptions {
  readonly pgBoss: BossPackage
  readonly databases: Pick<PostgresDatabases, 'createPool' | 'schema' | 'reads' | 'writes'>
  readonly notifications: NotificationClient
  readonly ownerEpoch: number
  readonly logger: StoreLogger
  readonly timing?: Partial<DispatchTiming>
}

const POOL_SIZE = 4
const BEAT_POOL_SIZE = 1
/** The connections of a dispatcher at most. */
export const DISPATCH_CONNECTIONS = POOL_SIZE + BEAT_POOL_SIZE
/** A report that is not answered within this part of the time between two is sent again, on another connection. */
const BEAT_RESPONSE_SHARE = 1.2
const STOP_TIMEOUT_MS = 2000
const SUPERVISE_MARGIN_MS = 500

/** Distributes jobs among the machines that share a database, through pg-boss. */
export class BossDispatcher implements Dispatcher {
  /** For the store, which adds and drops jobs in its own transactions. */
  readonly jobs: JobWriter
  readonly #options: BossDispatcherOptions
  readonly #timing: DispatchTiming
  readonly #pools: Pool[] = []
  readonly #pool = lazy(() => this.#createPool(POOL_SIZE))
  readonly #beatPool = lazy(() => this.#createPool(BEAT_POOL_SIZE, this.#timing.beatMs * BEAT_RESPONSE_SHARE))
  readonly #boss: PgBoss
  readonly #queues: JobQueues
  readonly #machines: MachineJobs
  readonly #lifeSigns: LifeSigns
  readonly #takeOver: TakeOver
  readonly #orphaned: OrphanedExecutions
  readonly #outage: OutageLog
  readonly #takeOverLoop = new PollLoop(() => this.#takeOverAll())
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #crashes = new Map<number, Promise<Crash>>()
  #server: JobServer | undefined
  #fetcher: JobFetcher | undefined
  #stopped: Promise<void> | undefined
  #closed: Promise<void> | undefined

  constructor(options: BossDispatcherOptions) {
    const { databases, logger, ownerEpoch } = options
    const { schema } = databases
    this.#options = options
    this.#timing = { ...DISPATCH_TIMING, ...options.timing }
    this.#outage = new OutageLog(logger)
    this.#boss = createBoss({ pgBoss: options.pgBoss, db: this.#databaseOfBoss(), schema })
    // what fails is done again; an error without a listener would end the process
    this.#boss.on('error', (error) => this.#outage.failed('pg-boss', error))
    this.#boss.on('warning', ({ message }) => logger.debug(`pg-boss: ${message}`))
    this.#queues = new JobQueues(this.#boss)
    this.jobs = this.#queues
    this.#machines = new MachineJobs(this.#queues, databases.reads)
    const shared = { queues: this.#queues, machines: this.#machines, timing: this.#timing, logger }
    this.#lifeSigns = new LifeSigns({
      ...shared,
      pool: this.#beatPool,
      ownerEpoch,
      outage: this.#outage,
      onReturn: () => this.#reviveLost(),
    })
    this.#takeOver = new TakeOver({ ...shared, pool: this.#pool, lifeSigns: this.#lifeSigns, schema })
    this.#orphaned = new OrphanedExecutions({
      takeOver: this.#takeOver,
      timing: this.#timing,
      outage: this.#outage,
      aliveEpochs: () => this.aliveEpochs(),
    })
  }

  /** Reports this machine to the others. To be called before the first write, when the database can be reached. */
  async start(): Promise<void> {
    await this.#boss.start()
    await this.#lifeSigns.start()
  }

  /** May be repeated by a start that the database has interrupted. */
  async serve(server: JobServer): Promise<void> {
    this.#server = server
    let release = ''
    await this.#lifeSigns.report(() => {
      const status = server.status()
      release = status.release
      return status
    })
    // one that fetches already would be left fetching beside another
    this.#fetcher ??= new JobFetcher({
      server,
      release: () => release,
      queues: this.#queues,
      pool: this.#pool,
      timing: this.#timing,
      outage: this.#outage,
    })
    this.#fetcher.start()
    this.#takeOverLoop.start()
    this.#reviveLost()
    this.#orphaned.start()
    // others may have left what only this machine can do; it becomes due by itself later
    await this.retry().catch((error: unknown) => this.#outage.failed('retrying jobs', error))
  }

  /** Others take over what a machine left, in the background. */
  readonly takingOver = undefined

  async settled(): Promise<void> {}

  async change(jobs: JobChange): Promise<void> {
    await this.#options.databases.writes.transaction((tx) => this.#queues.change(tx, jobs))
  }

  async retry(): Promise<void> {
    if (!this.#server) return
    this.#fetcher?.refuseNothing()
    await this.#queues.expedite(this.#options.databases.writes)
  }

  /**
   * Whether no machine has taken this process for dead yet. Ask after the row with the epoch was read: a process is
   * known before it writes its first row.
   */
  async isAlive(ownerEpoch: number): Promise<boolean> {
    if (ownerEpoch === this.#options.ownerEpoch || this.#machines.wasAlive(ownerEpoch)) return true
    return (await this.aliveEpochs()).includes(ownerEpoch)
  }

  /** The owner epochs of the processes that are alive, this one included. Read after the call, as `isAlive`. */
  async aliveEpochs(): Promise<readonly number[]> {
    const machines = await this.#machines.list()
    return [this.#options.ownerEpoch, ...machines.map(({ ownerEpoch }) => ownerEpoch)]
  }

  machines(): Promise<readonly Machine[]> {
    return this.#machines.list()
  }

  /** Of a process that is dead, so that the answer never changes. */
  crashOf(ownerEpoch: number): Promise<Crash> {
    const known = this.#crashes.get(ownerEpoch) ?? this.#takeOver.crashOf(ownerEpoch)
    this.#crashes.set(ownerEpoch, known)
    known.catch(() => this.#crashes.delete(ownerEpoch))
    return known
  }

  stop(how: 'stopped' | 'crashed' = 'stopped'): Promise<void> {
    return (this.#stopped ??= this.#stop(how))
  }

  async #stop(how: ProcessEnd['how']): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    // takes no more jobs from now on
    const fetched = this.#fetcher?.stop()
    await Promise.all([this.#orphaned.stop(), this.#takeOverLoop.stop()])
    // what is not done then is done by others
    await Promise.race([fetched, delay(STOP_TIMEOUT_MS, undefined, { ref: false })])
    try {
      await this.#lifeSigns.leave(how)
    } catch (error) {
      // others find out that it is dead
      this.#outage.failed('leaving', error)
    }
  }

  /** Ends the connections. Nothing can be stored after this. Without `stop` before, it is unknown how the process ends. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close())
  }

  async #close(): Promise<void> {
    await (this.#stopped ??= this.#stop('unknown'))
    await this.#boss.stop({ timeout: STOP_TIMEOUT_MS })
    await Promise.all(this.#pools.map((pool) => pool.end()))
  }

  async #takeOverAll(): Promise<number> {
    const { pollMs } = this.#timing
    try {
      for (;;) {
        const ended = await this.#takeOver.next()
        this.#outage.ended('taking over')
        if (!ended) break
        if (ended.left !== true) this.#server?.onDeath(ended.ownerEpoch)
        // it may have fetched jobs
        this.#reviveLost()
      }
    } catch (error) {
      this.#outage.failed('taking over', error)
    }
    // machines look at different times
    return pollMs * (0.8 + 0.2 * Math.random())
  }

  /** Finds jobs again that were fetched by a machine which could not do them, when their time has run out. */
  #reviveLost(): void {
    const supervise = () =>
      this.#boss.supervise(JOBS).then(
        () => this.#outage.ended('pg-boss'),
        (error: unknown) => this.#outage.failed('pg-boss', error),
      )
    void supervise()
    // of a machine that is known to be dead, and of one that has just failed
    for (const ms of [JOB_MS - this.#timing.leaseMs, JOB_MS])
      this.#in(ms + SUPERVISE_MARGIN_MS, () => void supervise())
  }

  #in(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      work()
    }, ms).unref()
    this.#timers.add(timer)
  }

  /** Only when it is needed: how connections are opened is known when the database has been reached. */
  #createPool(max: number, responseMs?: number): Pool {
    const pool = this.#options.databases.createPool(max, responseMs)
    this.#pools.push(pool)
    return pool
  }

  /** The connections of pg-boss. A notification of its queues wakes the part that works on the queue. */
  #databaseOfBoss(): Db {
    const { notifications } = this.#options
    const wake = (queue?: string) => {
      if (queue !== MACHINES) this.#fetcher?.wake()
      if (queue !== JOBS) this.#takeOverLoop.wake()
    }
    return {
      executeSql: (text, values) => this.#pool().query(text, values),
      listen: async (channel) => {
        const close = notifications.subscribe(channel, { onMessage: wake, onConnected: () => wake() })
        return { close: async () => close() }
      },
    }
  }
}
