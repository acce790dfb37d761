import type { StepType } from '../../contract/status.ts'
import { createDeferred } from '../../lib/async/deferred.ts'

/** Crashes after which a step fails. */
export const MAX_CRASHES = 3
/** The same for an agent. Its calls take so long that one is in progress at most crashes, whatever their cause. */
export const MAX_AGENT_CRASHES = 5
/** Crashes after which a step is suspected. */
export const SUSPECT_CRASHES = 2

/** Crashes after which a step of a type fails. */
export function maxCrashesOf(type: StepType): number {
  return type === 'andAgent' ? MAX_AGENT_CRASHES : MAX_CRASHES
}

/** A place in the queue of suspected steps. */
interface Turn {
  /** Resolves when the steps before it have ended. */
  readonly ready: Promise<void>
  /** Lets the next step start. */
  readonly end: () => void
}

/**
 * The steps of this process that were running at two crashes. They run one at a time: only one of them is running
 * at the next crash, and the others, which were only running beside it, are not blamed for that.
 */
export class CrashSuspects {
  readonly #prepare: () => Promise<void>
  #last: Promise<void> | undefined
  /** Recoveries in progress, which may add steps to the queue. */
  readonly #recoveries = new Set<Promise<unknown>>()

  /** @param prepare called once, before the first step: what takes time, and does not depend on a step */
  constructor(prepare: () => Promise<void> = () => Promise.resolve()) {
    this.#prepare = prepare
  }

  get #queue(): Promise<void> {
    return (this.#last ??= this.#prepare())
  }

  /** Resolves when the steps have ended that are in the queue once the recoveries in progress are done. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#recoveries)
    await this.#queue
  }

  /** Waits for a recovery with the steps that come after those in the queue. */
  expect(recovery: Promise<unknown>): void {
    this.#recoveries.add(recovery)
    void Promise.allSettled([recovery]).then(() => this.#recoveries.delete(recovery))
  }

  enqueue(): Turn {
    const ended = createDeferred<void>()
    const ready = this.#queue
    this.#last = ready.then(() => ended.promise)
    return { ready, end: () => ended.resolve() }
  }
}
