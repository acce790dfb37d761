import { createDeferred } from '../../../lib/async/wake-up.ts'
import type { Deferred } from '../../../lib/async/wake-up.ts'
import { startTimer } from '../../../lib/clock.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Crash } from '../../crash.ts'
import { AppError } from '../../../lib/errors.ts'
import { MACHINE_ID } from '../../../lib/machine-id.ts'
import type { Dispatcher, JobChange, JobResult, JobServer, Machine, TakingOver } from '../../dispatcher.ts'
import type { Store } from '../../store.ts'
import type { Database } from '../driver.ts'
import { inTransaction } from '../transaction.ts'
import { jobOf } from './job-table.ts'
import type { Lives } from './lives.ts'
import { Pace } from './pace.ts'
import type { JobTable, StoredJob } from './job-table.ts'

/** The system clock may jump: the time of the next job is looked at again this often. */
const LOOK_MS = 60_000
/** How soon the jobs are looked at again when there was no room for them, or the database could not be used. */
const BUSY_MS = 1000
/** Jobs that are done at the same time; bounds the memory of a restart. */
const MAX_AT_ONCE = 200
/** Jobs that are started in a turn however long turns take: they share a commit. */
const MIN_AT_ONCE = 20
/** Jobs that are stored in one transaction when executions of earlier processes are taken over. */
const TAKE_OVER_BATCH = 1000
/** The time that jobs may take of a turn of the event loop: requests are handled between turns. */
const TURN_MS = 15
const FIRST_RETRY_MS = 1000
const MAX_RETRY_MS = 300_000

interface DispatcherDeps {
  readonly database: Database
  readonly table: JobTable
  readonly lives: Lives
  readonly ownerEpoch: number
  readonly clock: Clock
  readonly health: Store['health']
}

interface Finished {
  readonly row: StoredJob
  readonly result: JobResult
}

/** Does all jobs in this process, with one timer for the earliest of them. */
export class EmbeddedDispatcher implements Dispatcher {
  readonly #deps: DispatcherDeps
  #server: JobServer | undefined
  #stopTimer: () => void = () => undefined
  #looking: NodeJS.Immediate | undefined
  /** Jobs in progress. */
  #running = 0
  /** Numbers of the jobs in progress, and of those whose result is not stored yet. */
  readonly #busy = new Set<number>()
  #finished: Finished[] = []
  /** Each resolves when no job is due that was due at its time. */
  readonly #waiting = new Map<Deferred<void>, number>()
  #stopped: Deferred<void> | undefined
  #ended = false
  #closed = false
  /** Resolves when the jobs that were due at the start have been handled. */
  #handled: Promise<void> = Promise.resolve()
  /** The jobs that are started in one turn of the event loop. */
  readonly #pace = new Pace({ turnMs: TURN_MS, least: MIN_AT_ONCE, most: MAX_AT_ONCE })
  takingOver: TakingOver | undefined

  constructor(deps: DispatcherDeps) {
    this.#deps = deps
    deps.table.onAdded = () => this.#lookSoon()
  }

  async serve(server: JobServer): Promise<void> {
    await this.#takeOver()
    if (this.#ended) return
    this.#server = server
    this.#handled = this.#expedite()
    this.#handled.catch(() => undefined)
  }

  settled(): Promise<void> {
    return this.#handled
  }

  async change(jobs: JobChange): Promise<void> {
    const { database, table } = this.#deps
    try {
      inTransaction(database, () => table.change(jobs))
    } catch (error) {
      table.discard()
      throw error
    }
    table.committed()
  }

  async retry(): Promise<void> {
    if (this.#server) return this.#expedite()
  }

  async isAlive(ownerEpoch: number): Promise<boolean> {
    return ownerEpoch === this.#deps.ownerEpoch
  }

  async machines(): Promise<readonly Machine[]> {
    if (!this.#server) return []
    const { ownerEpoch, clock } = this.#deps
    return [{ id: MACHINE_ID, ownerEpoch, lastBeatAt: clock.now(), ...this.#server.status() }]
  }

  async crashOf(ownerEpoch: number): Promise<Crash> {
    return this.#deps.lives.crashOf(ownerEpoch)
  }

  async stop(how: 'stopped' | 'crashed' = 'stopped'): Promise<void> {
    await this.#stop()
    if (!this.#closed) this.#deps.lives.end(how)
  }

  async #stop(): Promise<void> {
    this.#ended = true
    this.#server = undefined
    this.#stopTimer()
    for (const waiting of this.#waiting.keys()) waiting.resolve()
    this.#waiting.clear()
    if (this.#running === 0) return
    this.#stopped ??= createDeferred()
    return this.#stopped.promise
  }

  /** The database is about to be closed: what is not stored yet stays to be done. */
  close(): void {
    this.#closed = true
    clearImmediate(this.#looking)
    this.#stopped?.resolve()
    this.#deps.lives.close()
    void this.#stop()
  }

  /** Stores a job for each execution that an earlier process left running; requests are handled in between. */
  async #takeOver(): Promise<void> {
    const { database, table, lives, ownerEpoch, clock } = this.#deps
    const now = clock.now()
    inTransaction(database, () => lives.judge())
    const lost = table.lost(ownerEpoch)
    for (let done = 0; done < lost.length && !this.#ended; done += TAKE_OVER_BATCH) {
      this.takingOver = { done, total: lost.length }
      inTransaction(database, () => table.takeOver(lost.slice(done, done + TAKE_OVER_BATCH), now))
      await new Promise((resolve) => setImmediate(resolve))
    }
    if (!this.#ended) inTransaction(database, () => table.takeOverRuns(ownerEpoch, now))
    this.takingOver = undefined
  }

  /** Makes jobs due that were tried before, and waits until all that are due have been handled. */
  async #expedite(): Promise<void> {
    const { database, table, clock } = this.#deps
    const now = clock.now()
    inTransaction(database, () => table.expedite(now))
    const handled = createDeferred<void>()
    this.#waiting.set(handled, now)
    this.#lookSoon()
    return handled.promise
  }

  #lookSoon(): void {
    if (this.#closed) return
    this.#looking ??= setImmediate(() => {
      this.#looking = undefined
      this.#look({ atOnce: false })
    })
  }

  /** Stores the results of jobs, and starts those that are due. */
  #look({ atOnce }: { readonly atOnce: boolean }): void {
    try {
      if (this.#deps.health.problem) this.#lookIn(BUSY_MS)
      else {
        this.#storeResults()
        this.#startDue(atOnce)
      }
    } catch (error) {
      // the failure of the database is reported by its health
      if (!(error instanceof AppError)) throw error
      this.#lookIn(BUSY_MS)
    }
    if (this.#running === 0) this.#stopped?.resolve()
  }

  #lookIn(ms: number): void {
    this.#stopTimer()
    const look = () => this.#look({ atOnce: true })
    this.#stopTimer = startTimer(this.#deps.clock, ms, look, { maxMs: LOOK_MS, unref: true })
  }

  #startDue(atOnce: boolean): void {
    const server = this.#server
    if (!server) return
    const { table, clock } = this.#deps
    // rows are read in batches, and not at the end of each job
    if (!atOnce && this.#busy.size > MAX_AT_ONCE / 2) return this.#lookIn(BUSY_MS)
    const now = clock.now()
    if (this.#waiting.size > 0) this.#resolveWaiting(table.firstAt())
    const room = Math.max(Math.min(server.room(), MAX_AT_ONCE - this.#busy.size), 0)
    const share = Math.min(room, this.#pace.share)
    const due = table.due(now, this.#busy.size + share + 1).filter(({ number }) => !this.#busy.has(number))
    if (due.length > 0) this.#pace.begin()
    for (const row of due.slice(0, share)) this.#start(server, row)
    // the others have their turn after requests
    if (due.length > share && share < room) this.#lookSoon()
    const next = due.length > share ? now + BUSY_MS : table.nextAt(now)
    if (next === undefined) this.#stopTimer()
    else this.#lookIn(next - now)
  }

  #resolveWaiting(firstAt = Infinity): void {
    for (const [waiting, until] of this.#waiting) {
      if (firstAt <= until) continue
      this.#waiting.delete(waiting)
      waiting.resolve()
    }
  }

  #start(server: JobServer, row: StoredJob): void {
    this.#busy.add(row.number)
    this.#running++
    const end = this.#deps.clock.timers?.busy()
    const finish = (result: JobResult) => {
      this.#running--
      this.#finished.push({ row, result })
      this.#lookSoon()
      end?.()
    }
    server.run(jobOf(row), row.attempts + 1).then(finish, () => finish('later'))
  }

  #storeResults(): void {
    const finished = this.#finished
    if (finished.length === 0) return
    const { database, table, clock } = this.#deps
    const now = clock.now()
    inTransaction(database, () => {
      for (const { row, result } of finished) {
        if (result === 'done') table.delete(row)
        else table.postpone(row, now + Math.min(FIRST_RETRY_MS * 2 ** row.attempts, MAX_RETRY_MS))
      }
    })
    this.#finished = []
    for (const { row } of finished) this.#busy.delete(row.number)
  }
}
