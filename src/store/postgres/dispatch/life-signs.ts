import { hostname } from 'node:os'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { SETTLED_MS } from '../../crash.ts'
import type { ProcessEnd } from '../../crash.ts'
import type { MachineStatus } from '../../dispatcher.ts'
import { databaseOn } from './job-queues.ts'
import type { JobQueues } from './job-queues.ts'
import type { MachineJobs, MachineReport } from './machine-jobs.ts'
import type { OutageLog } from './outage-log.ts'
import { PollLoop } from './poll-loop.ts'
import type { DispatchTiming } from './timing.ts'

const MAX_CLOCK_OFFSET_MS = 1000
/** A measurement that took longer is not exact. */
const MAX_ROUND_TRIP_MS = 500
const WARN_EVERY_MS = 3_600_000
/** After a failed report, part of the time between two reports. */
const RETRY_SHARE = 0.25

export interface LifeSignsDeps {
  readonly queues: JobQueues
  readonly machines: MachineJobs
  /** Only for the reports, so that they wait for nothing else. */
  readonly pool: () => Pool
  readonly ownerEpoch: number
  readonly timing: DispatchTiming
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly outage: OutageLog
  /** Called when the database has answered again after a pause. */
  readonly onReturn: () => void
}

/** Reports at intervals that this machine is alive, and knows whether it can tell that others are not. */
export class LifeSigns {
  readonly #deps: LifeSignsDeps
  #status: () => MachineStatus = () => ({ release: '', load: 0, executions: 0 })
  readonly #loop = new PollLoop(() => this.#tick())
  #lastBeat: Instant | undefined
  /** Until then this machine was too late itself to judge others. */
  #deafUntil = -Infinity
  #warnedAt = -Infinity
  readonly #bornAt = performance.now()

  constructor(deps: LifeSignsDeps) {
    this.#deps = deps
  }

  /** Reports for the first time. From then on others know that this machine is alive. */
  async start(): Promise<void> {
    const { machines, timing, pool } = this.#deps
    await this.#measureClock()
    await machines.add(this.#report(), timing.leaseMs, databaseOn(pool()))
    // all machines may have been cut off until now: this one can't tell yet
    this.#deafUntil = performance.now() + timing.leaseMs
    this.#lastBeat = instant()
    this.#loop.start()
  }

  /** Reports `status` from now on. */
  async report(status: () => MachineStatus): Promise<void> {
    this.#status = status
    await this.#tick()
  }

  /**
   * Whether this machine can tell that others are dead. One that was late itself, because the database did not answer,
   * the process was stopped or the event loop was blocked, can't: the others may have been late for the same reason.
   */
  get hears(): boolean {
    return !this.#isLate() && performance.now() >= this.#deafUntil
  }

  /** Stops reporting, and lets other machines know that what this one had can be taken. */
  async leave(how: ProcessEnd['how']): Promise<void> {
    await this.#loop.stop()
    if (this.#lastBeat) await this.#deps.machines.leave(this.#report(), how, databaseOn(this.#deps.pool()))
  }

  async #tick(): Promise<number> {
    const { timing, outage } = this.#deps
    const started = performance.now()
    try {
      await this.#beat()
      outage.ended('life signs')
      return Math.max(timing.beatMs - (performance.now() - started), 0)
    } catch (error) {
      outage.failed('life signs', error)
      return timing.beatMs * RETRY_SHARE
    }
  }

  async #beat(): Promise<void> {
    const { machines, timing, pool } = this.#deps
    const isKnown = await machines.push(this.#report(), timing.leaseMs, databaseOn(pool()))
    if (!isKnown) await this.#rejoin()
    const wasLate = this.#isLate()
    this.#lastBeat = instant()
    if (wasLate) {
      this.#deafUntil = performance.now() + timing.leaseMs
      this.#deps.onReturn()
    }
    await this.#measureClock()
  }

  /** Other machines continue with what this one had. What they have not taken yet is still its own: each write decides. */
  async #rejoin(): Promise<void> {
    const { machines, timing, pool, logger } = this.#deps
    await machines.add(this.#report(), timing.leaseMs, databaseOn(pool()))
    logger.warn(
      `This machine (${machineId()}) did not respond for ${timing.leaseMs / 1000} s and was taken for dead; other machines continue its executions`,
    )
  }

  #isLate(): boolean {
    const last = this.#lastBeat
    if (!last) return true
    // one of the two stands still while a machine sleeps
    const elapsed = Math.max(performance.now() - last.running, Date.now() - last.wall)
    return elapsed > this.#deps.timing.lateMs
  }

  #report(): MachineReport {
    const { ownerEpoch, queues } = this.#deps
    return {
      id: machineId(),
      ownerEpoch,
      beatAt: Math.round(Date.now() + queues.clockOffset),
      settled: performance.now() - this.#bornAt > SETTLED_MS,
      ...this.#status(),
    }
  }

  async #measureClock(): Promise<void> {
    const { pool, queues, logger } = this.#deps
    const before = Date.now()
    const { rows } = await pool().query<{ now: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
    )
    const [{ now } = { now: before }] = rows
    const after = Date.now()
    if (this.#lastBeat && after - before > MAX_ROUND_TRIP_MS) return
    queues.clockOffset = now - (before + after) / 2
    if (Math.abs(queues.clockOffset) <= MAX_CLOCK_OFFSET_MS) return
    if (performance.now() - this.#warnedAt < WARN_EVERY_MS) return
    this.#warnedAt = performance.now()
    const seconds = (Math.abs(queues.clockOffset) / 1000).toFixed(1)
    const direction = queues.clockOffset > 0 ? 'behind' : 'ahead of'
    logger.warn(`The clock of this machine is ${seconds} s ${direction} that of the database`)
  }
}

interface Instant {
  readonly running: number
  readonly wall: number
}

function instant(): Instant {
  return { running: performance.now(), wall: Date.now() }
}

function machineId(): string {
  return `${hostname()}:${process.pid}`
}
