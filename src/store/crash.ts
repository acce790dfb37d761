import { isNestedIn } from '../contract/step-path.ts'
import type { StepStatus, StepType } from '../contract/status.ts'

/** How a process ended, as far as the next one can know. */
export interface ProcessEnd {
  /**
   * `stopped`: in good order. `crashed`: it ended itself, by an uncaught error or `process.exit()` with another code than 0.
   * `unknown`: nothing was recorded, as it was killed, lost its power or exhausted its memory.
   */
  readonly how: 'stopped' | 'crashed' | 'unknown'
  /** It had lived for more than a minute. */
  readonly settled: boolean
}

/** How long a process lives until its end without a record is nobody's fault. */
export const SETTLED_MS = 60_000

/** What was in flight when a process ended: functions of steps and answers of agents. */
export interface InFlight {
  readonly total: number
  /** Of these, those that had not passed a trial. */
  readonly untried: number
}

/**
 * What the end of a process says about what was in flight. `none`: nothing. `alone`: evidence, as nothing else was in
 * flight. `untried`: those that had not passed a trial are suspected. `all`: all of them are.
 */
export type Crash = 'none' | 'alone' | 'untried' | 'all'

export function judgeCrash({ how, settled }: ProcessEnd, { total, untried }: InFlight): Crash {
  if (how === 'stopped' || total === 0) return 'none'
  // from outside: the longer a step runs, the more often it would be blamed for that
  if (how === 'unknown' && settled) return 'none'
  if (total === 1) return 'alone'
  return untried > 0 ? 'untried' : 'all'
}

/** What is known against a step or an answer of an agent. */
export interface Suspicion {
  /** Crashes of a process in which nothing else was in flight, since it last made progress. */
  readonly crashes: number
  /** Crashes of a process in which others were in flight, too. They order the trials, and condemn nobody. */
  readonly suspected: number
  /**
   * `waiting`: it is not in flight, until its trial. `passed`: it is in flight, and the process has survived its trial. Null:
   * neither.
   */
  readonly trial: 'waiting' | 'passed' | null
}

/** The same after a crash during which it was in flight. */
export function afterCrash({ crashes, suspected, trial }: Suspicion, crash: Crash): Omit<Suspicion, 'trial'> {
  if (crash === 'alone') return { crashes: crashes + 1, suspected }
  const isSuspected = crash === 'all' || (crash === 'untried' && trial !== 'passed')
  return { crashes, suspected: isSuspected ? suspected + 1 : suspected }
}

/** Steps that call a function as long as they run. Others call one now and then, and are exempt in between. */
const ATTEMPTED: ReadonlySet<StepType> = new Set(['andThen', 'andTap', 'andAgent'])

/** What the row of a step says about whether its function runs. */
interface StepState extends Pick<Suspicion, 'trial'> {
  readonly path: string
  readonly type: StepType
  readonly status: StepStatus
  readonly attempts: number
  readonly exempt: boolean
  readonly wakeAt: number | null
  readonly childId: string | null
}

/** The steps of an execution whose functions were running, by its rows: of nested ones, the inner. */
export function stepsInFlight<T extends StepState>(steps: readonly T[]): T[] {
  const running = steps.filter(({ status }) => status === 'running')
  const called = running.filter(
    ({ attempts, wakeAt, childId, trial }) =>
      attempts > 0 && wakeAt === null && childId === null && trial !== 'waiting',
  )
  return called.filter(({ exempt, type, path }) => {
    if (ATTEMPTED.has(type)) return !called.some((other) => isNestedIn(other.path, path))
    return !exempt && !running.some((other) => isNestedIn(other.path, path))
  })
}

/** Adds up what was in flight in a process, until more can't change what its end says. */
export class InFlightCount {
  #total = 0
  #untried = 0

  get inFlight(): InFlight {
    return { total: this.#total, untried: this.#untried }
  }

  /** Whether the verdict is clear. */
  get isEnough(): boolean {
    return this.#total > 1 && this.#untried > 0
  }

  add(found: readonly Pick<Suspicion, 'trial'>[]): void {
    this.#total += found.length
    this.#untried += found.filter(({ trial }) => trial !== 'passed').length
  }
}
