import type { Scope } from '../../lib/async/scope.ts'
import type { StepRow } from '../../store/execution-store.ts'
import { requireStored } from '../record/commit.ts'
import type { DurableRecord } from '../record/execution-record.ts'
import { untilBoundary } from './steps/attempt.ts'
import { MAX_CRASHES, SUSPECT_CRASHES } from './crash-suspects.ts'
import type { CrashSuspects } from './crash-suspects.ts'
import { CrashLoopError } from './errors.ts'

/** A suspected step that has run alone for this time did not cause the crashes at the start. */
const ALONE_MS = 600_000

interface Place {
  readonly path: string
  /** Crashes during which the step was running. */
  readonly crashes: number
  readonly scope: Scope
}

interface Evaluation {
  readonly scope: Scope
  /** Throws when the execution was asked to stop. */
  readonly checkpoint: () => void
}

/** Runs the functions of an execution's steps so that a crash of the process counts against those that were running. */
export class CrashGuard {
  readonly #record: DurableRecord
  readonly #suspects: CrashSuspects
  readonly #running = new Set<string>()

  constructor(record: DurableRecord, suspects: CrashSuspects) {
    this.#record = record
    this.#suspects = suspects
  }

  /**
   * Runs `work` immediately, for a suspected step when no other one is running, and for one that was running at a single
   * crash after the suspected ones.
   */
  inTurn<T>(place: Place, work: () => Promise<T>): Promise<T> {
    if (place.crashes === 0) return work()
    return place.crashes < SUSPECT_CRASHES ? this.#afterSuspects(place, work) : this.#alone(place, work)
  }

  /** Runs a function of a step, after the step's start is stored. */
  async run<T>(path: string, body: () => Promise<T>): Promise<T> {
    this.#running.add(path)
    try {
      requireStored(await this.#record.commit())
      return await body()
    } finally {
      this.#running.delete(path)
    }
  }

  /**
   * Runs a function of a step without attempts, whose started row is staged. Crashes before and after it, such as during
   * the rounds of a loop, do not count against it.
   */
  async evaluate<T>(row: StepRow, { scope, checkpoint }: Evaluation, body: () => Promise<T>): Promise<T> {
    const { path, stepId, crashes } = row
    if (crashes >= MAX_CRASHES) throw new CrashLoopError(`step "${stepId}"`, crashes)
    const evaluate = () => {
      if (this.#record.steps.get(path)?.exempt) this.#record.stage({ step: { ...row, exempt: false } })
      return this.run(path, body)
    }
    if (crashes === 0) return this.#settled(path, await evaluate())
    this.#exempt(path)
    const value = await this.inTurn({ path, crashes, scope }, () => {
      checkpoint()
      return evaluate()
    })
    return this.#settled(path, value)
  }

  #settled<T>(path: string, value: T): T {
    this.#exempt(path, { crashes: 0 })
    return value
  }

  /** Part of a step's work was recorded: crashes from now on, in this attempt, do not count against it. */
  onProgress(path: string): void {
    const step = this.#record.steps.get(path)
    if (step && !(step.exempt && step.crashes === 0)) this.#exempt(path, { crashes: 0 })
  }

  /** The process is about to end: that is not a crash of the running steps. */
  exemptRunning(): void {
    for (const path of this.#running) this.#exempt(path)
  }

  async #afterSuspects<T>({ scope }: Place, work: () => Promise<T>): Promise<T> {
    // suspected steps that are recovered at the same time are queued in this turn
    await new Promise((resolve) => setImmediate(resolve))
    await untilBoundary(this.#suspects.ended(), this.#record, scope)
    return work()
  }

  async #alone<T>({ path, scope }: Place, work: () => Promise<T>): Promise<T> {
    const turn = this.#suspects.enqueue()
    let timer: NodeJS.Timeout | undefined
    try {
      await untilBoundary(turn.ready, this.#record, scope)
      timer = setTimeout(() => {
        this.#exempt(path)
        turn.end()
      }, ALONE_MS).unref()
      return await work()
    } finally {
      clearTimeout(timer)
      turn.end()
    }
  }

  #exempt(path: string, change: Partial<Pick<StepRow, 'crashes'>> = {}): void {
    const step = this.#record.steps.get(path)
    if (step && !this.#record.closed) this.#record.stage({ step: { ...step, ...change, exempt: true } })
  }
}
