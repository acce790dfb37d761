import type { Logger } from 'pino'
import { createDeferred } from '../../lib/async/wake-up.ts'
import type { Suspicion } from '../../store/crash.ts'

/** Crashes with nothing else in flight after which a step or an answer of an agent fails. */
export const MAX_CRASHES = 3
/** How long the first trial of a suspect lasts; each crash doubles it, up to the maximum. */
const TRIAL_MS = 1000
const MAX_TRIAL_MS = 30_000
/** How long a trial of one suspect alone keeps other steps from starting, and how long it waits for those that run. */
const MAX_HOLD_MS = 5000
const MAX_DRAIN_MS = 2000
/** How long a round waits for recoveries in progress, which may bring suspects. */
const MAX_GATHER_MS = 1000
/** Suspects that a log record names. */
const MAX_NAMED = 10

/** What is tried. */
export interface Suspect extends Pick<Suspicion, 'crashes' | 'suspected'> {
  /** Of the execution or the run that it belongs to. */
  readonly id: string
  /** For the log, such as `step "pay" of execution e1`. */
  readonly name: string
  /** Whether it needs the packages of models. */
  readonly isAgent: boolean
  /** Called when the process has survived its trial. */
  readonly pass: () => void
}

interface Waiting {
  readonly since: number
  readonly suspect: Suspect
  readonly start: () => void
  readonly ended: Promise<void>
}

/** A place among those that wait for their trial. */
export interface Turn {
  /** Resolves when the trial begins. */
  readonly ready: Promise<void>
  /** It has ended, or does not want its trial any more. */
  readonly end: () => void
}

export interface TrialsOptions {
  readonly logger: Pick<Logger, 'warn'>
  /** Loads what the calls of agents need, once, so that the process is not blamed on those that have not called anything. */
  readonly prepareAgents?: () => Promise<void>
  /** Duration of the first trial. Default: one second. */
  readonly trialMs?: number | undefined
}

/**
 * The trials of the steps and answers that were in flight at a crash of the process. The most suspected ones are first, half
 * of them at a time: after a crash the culprit is among the half that was in flight, so that it is found after log2(n)
 * crashes. One that is the only most suspected one begins while nothing else is in flight: only that is evidence.
 */
export class Trials {
  readonly #options: TrialsOptions
  readonly #trialMs: number
  readonly #waiting = new Set<Waiting>()
  /** Recoveries in progress, which may bring suspects. */
  readonly #recoveries = new Set<Promise<unknown>>()
  #isTrying = false
  #prepared: Promise<void> | undefined
  #inFlight = 0
  #onIdle: () => void = () => undefined
  /** Set while others have to wait: a suspect is tried alone. */
  held: Promise<void> | undefined

  constructor(options: TrialsOptions) {
    this.#options = options
    this.#trialMs = options.trialMs ?? TRIAL_MS
  }

  /** A function of a step, or an answer, begins. Returns the function to call at its end. */
  enter(): () => void {
    this.#inFlight++
    return () => {
      this.#inFlight--
      if (this.#inFlight === 0) this.#onIdle()
    }
  }

  /** Waits for a recovery, which may bring suspects, with the trials that come after it. */
  expect(recovery: Promise<unknown>): void {
    this.#recoveries.add(recovery)
    void Promise.allSettled([recovery]).then(() => this.#recoveries.delete(recovery))
  }

  /** When an execution or a run began to wait for a trial, in milliseconds since the epoch; `undefined` if it does not. */
  waitingSince(id: string): number | undefined {
    for (const { suspect, since } of this.#waiting) if (suspect.id === id) return since
    return undefined
  }

  join(suspect: Suspect): Turn {
    const ready = createDeferred<void>()
    const ended = createDeferred<void>()
    const waiting = { since: Date.now(), suspect, start: ready.resolve, ended: ended.promise }
    const { isAgent } = suspect
    const prepared = isAgent ? (this.#prepared ??= this.#options.prepareAgents?.()) : undefined
    const add = () => {
      this.#waiting.add(waiting)
      if (!this.#isTrying) void this.#try()
    }
    if (prepared) void Promise.allSettled([prepared]).then(add)
    else add()
    return {
      ready: ready.promise,
      end: () => {
        this.#waiting.delete(waiting)
        ended.resolve()
      },
    }
  }

  /** Rounds, until nobody waits. */
  async #try(): Promise<void> {
    this.#isTrying = true
    for (let isFirst = true; this.#waiting.size > 0; isFirst = false) {
      await this.#gathered()
      const { group, isOnly } = nextGroup([...this.#waiting], ({ suspect }) => suspect)
      const [first] = group
      if (!first) continue
      const ms = trialMs(first.suspect, this.#trialMs)
      const release = isFirst && isOnly ? await this.#alone(ms) : undefined
      this.#log(group)
      const passed = new Set(group)
      for (const each of group) {
        this.#waiting.delete(each)
        void each.ended.then(() => passed.delete(each))
        each.start()
      }
      await within(ms, Promise.all(group.map(({ ended }) => ended)))
      release?.()
      // in the turn after the end, they are known to have ended
      for (const { suspect } of passed) suspect.pass()
    }
    this.#isTrying = false
  }

  /** Waits until those that are recovered at the same time have joined. */
  async #gathered(): Promise<void> {
    await within(MAX_GATHER_MS, Promise.allSettled(this.#recoveries))
    await new Promise((resolve) => setImmediate(resolve))
  }

  /** Lets nothing else begin, and waits until nothing is in flight. Returns the function that lets others begin again. */
  async #alone(ms: number): Promise<() => void> {
    const held = createDeferred<void>()
    this.held = held.promise
    const release = () => {
      clearTimeout(timer)
      this.held = undefined
      held.resolve()
    }
    const timer = setTimeout(release, Math.min(ms, MAX_HOLD_MS) + MAX_DRAIN_MS).unref()
    if (this.#inFlight > 0) {
      const idle = new Promise<void>((resolve) => (this.#onIdle = resolve))
      await within(Math.min(MAX_DRAIN_MS, this.#trialMs * 2), idle)
      this.#onIdle = () => undefined
    }
    return release
  }

  #log(group: readonly Waiting[]): void {
    const names = group.slice(0, MAX_NAMED).map(({ suspect }) => nameOf(suspect))
    const more = group.length > names.length ? `, and ${group.length - names.length} more` : ''
    const others = this.#waiting.size - group.length
    this.#options.logger.warn(
      `Recovering what was running at a crash of the process: ${names.join(', ')}${more}${others > 0 ? `; ${others} more wait for this trial` : ''}`,
    )
  }
}

function nameOf({ name, crashes }: Suspect): string {
  return crashes > 0 ? `${name} (crash ${crashes} of ${MAX_CRASHES} with nothing else running)` : name
}

/** How long a trial lasts: what crashes the process later than the last trials lasted is found by a longer one. */
export function trialMs(
  { crashes, suspected }: Pick<Suspicion, 'crashes' | 'suspected'>,
  firstMs = TRIAL_MS,
): number {
  return Math.min(firstMs * 2 ** Math.max(crashes + suspected - 1, 0), MAX_TRIAL_MS)
}

/** Half of the most suspected ones. `isOnly`: there is one of these, so that it can be tried alone. */
export function nextGroup<T>(
  waiting: readonly T[],
  of: (one: T) => Pick<Suspicion, 'crashes' | 'suspected'>,
): { readonly group: readonly T[]; readonly isOnly: boolean } {
  const crashes = Math.max(...waiting.map((one) => of(one).crashes))
  const accused = waiting.filter((one) => of(one).crashes === crashes)
  const suspected = Math.max(...accused.map((one) => of(one).suspected))
  const most = accused.filter((one) => of(one).suspected === suspected)
  return { group: most.slice(0, Math.ceil(most.length / 2)), isOnly: most.length === 1 }
}

/** Waits for work, but not longer than this. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, ms).unref()))])
  clearTimeout(timer)
}
