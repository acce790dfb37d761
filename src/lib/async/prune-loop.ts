import type { Clock } from '../clock.ts'

const DAY_MS = 86_400_000
/** Records deleted per transaction, so that others hardly wait. */
const SLICE = 100

export interface RetentionRule {
  /** Records are kept this many days, */
  readonly days: number
  /** and of each kind no more than this many of the newest. */
  readonly count: number
}

export interface Outdated {
  /** Milliseconds since the epoch. */
  readonly before: number
  /** How many of the newest stay. */
  readonly keep: number
}

export interface PruneOptions {
  /** Each deletes up to so many records of its kind that are outdated, and tells how many it deleted. */
  readonly prunes: readonly ((outdated: Outdated, limit: number) => Promise<number>)[]
  /** As it is now. */
  readonly rule: () => RetentionRule
  readonly clock: Clock
  readonly everyMs: number
  readonly onFailure: (error: unknown) => void
}

/** Deletes old records now and from time to time, a slice per turn of the event loop, until the returned function is called. */
export function startPruneLoop({ prunes, rule, clock, everyMs, onFailure }: PruneOptions): () => void {
  let stopped = false
  let busy = false
  const outdated = (): Outdated => {
    const { days, count } = rule()
    return { before: clock.now() - days * DAY_MS, keep: count }
  }
  const pruneAll = async () => {
    for (const prune of prunes) {
      while (!stopped && (await prune(outdated(), SLICE)) > 0)
        await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const run = () => {
    if (busy || stopped) return
    busy = true
    void pruneAll()
      .catch(onFailure)
      .finally(() => {
        busy = false
      })
  }
  run()
  const timer = setInterval(run, everyMs)
  timer.unref()
  return () => {
    stopped = true
    clearInterval(timer)
  }
}
