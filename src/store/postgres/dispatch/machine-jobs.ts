import type { Db, Job, JobWithMetadata } from 'pg-boss'
import type { PostgresQueries } from '../connection/database.ts'
import type { ProcessEnd } from '../../crash.ts'
import type { Machine, MachineStatus } from '../../dispatcher.ts'
import { databaseOf, jobIdOf, MACHINES } from './job-queues.ts'
import type { JobQueues } from './job-queues.ts'

/** What a machine reports of itself. Times are in the clock of the database. */
export interface MachineReport extends MachineStatus {
  readonly id: string
  readonly ownerEpoch: number
  readonly beatAt: number
  /** It has ended: others may take what it left at once. */
  readonly left?: boolean
  /** It has lived for more than a minute. */
  readonly settled?: boolean
  /** How its process has ended. Earlier releases left only in good order, and did not report this. */
  readonly how?: ProcessEnd['how']
}

/** That of a machine which has left; those of all others have 0. */
const LEFT_PRIORITY = 1
/** What was read is as good as new for this time. */
const FRESH_MS = 1000
/** Maximum of pg-boss for one list. */
const MAX_LISTED = 100_000

/** The jobs that represent the machines. They are there as long as a machine is not known to be dead. */
export class MachineJobs {
  readonly #queues: JobQueues
  readonly #reads: PostgresQueries
  #alive: ReadonlySet<number> = new Set()
  #readAt = -Infinity
  /** The next query, until it is sent. */
  #next: Promise<readonly JobWithMetadata<MachineReport>[]> | undefined

  constructor(queues: JobQueues, reads: PostgresQueries) {
    this.#queues = queues
    this.#reads = reads
  }

  /** Does nothing if the machine has a job. */
  async add(report: MachineReport, leaseMs: number, db: Db): Promise<void> {
    await this.#queues.boss.insert(
      MACHINES,
      [{ id: idOf(report), data: report, startAfter: leaseMs / 1000 }],
      { db },
    )
  }

  /** Resolves with false if the machine was taken for dead. */
  async push(report: MachineReport, leaseMs: number, db: Db): Promise<boolean> {
    const options = { id: idOf(report), startAfter: leaseMs / 1000, db }
    return (await this.#queues.boss.update(MACHINES, report, options)).updated > 0
  }

  async leave(report: MachineReport, how: ProcessEnd['how'], db: Db): Promise<void> {
    const options = { id: idOf(report), startAfter: 0, priority: LEFT_PRIORITY, db }
    await this.#queues.boss.update(MACHINES, { ...report, left: true, how }, options)
  }

  /** The job of a machine that is dead, for the rest of the transaction. */
  async fetch(db: Db, { leftOnly }: { leftOnly: boolean }): Promise<Job<MachineReport> | undefined> {
    const options = leftOnly ? { db, minPriority: LEFT_PRIORITY } : { db }
    return (await this.#queues.boss.fetch<MachineReport>(MACHINES, options))[0]
  }

  async remove({ id }: Job<MachineReport>, db: Db): Promise<void> {
    await this.#queues.boss.deleteJob(MACHINES, id, { db })
  }

  /** The machines that are alive, oldest first. */
  async list(): Promise<readonly Machine[]> {
    const jobs = await this.#read()
    const { clockOffset } = this.#queues
    const machines = jobs.flatMap(({ data: { beatAt, left, settled: _settled, how: _how, ...machine } }) =>
      left === true ? [] : [{ ...machine, lastBeatAt: Math.round(beatAt - clockOffset) }],
    )
    this.#alive = new Set(machines.map(({ ownerEpoch }) => ownerEpoch))
    this.#readAt = performance.now()
    return machines
  }

  /** Whether it was alive a moment ago. One that was not may have started since. */
  wasAlive(ownerEpoch: number): boolean {
    return this.#alive.has(ownerEpoch) && performance.now() - this.#readAt < FRESH_MS
  }

  /** Reads after the call, once for all calls in a turn of the event loop. */
  #read(): Promise<readonly JobWithMetadata<MachineReport>[]> {
    this.#next ??= Promise.resolve().then(() => {
      this.#next = undefined
      const options = { queued: true, limit: MAX_LISTED, db: databaseOf(this.#reads) }
      return this.#queues.boss.findJobs<MachineReport>(MACHINES, options)
    })
    return this.#next
  }
}

function idOf({ ownerEpoch }: MachineReport): string {
  return jobIdOf(`machine:${ownerEpoch}`)
}
