import type { Clock } from '../clock.ts'

const DAY_MS = 86_400_000
/** Limits the time that a transaction blocks other writers. */
const MAX_PER_TRANSACTION = 100

/** Records older than `days`, or in excess of the newest `count`, are deleted. */
export interface RetentionRule {
  /** Maximum age in days. */
  readonly days: number
  /** Maximum number of records of each kind. */
  readonly count: number
}

export interface PruneCutoff {
  /** Records before this time are deleted, in milliseconds since the Unix epoch. */
  readonly before: number
  /** Number of newest records to keep. */
  readonly keep: number
}

export interface PruneOptions {
  /** One function per kind of record. Deletes at most `limit` expired records and returns how many it deleted. */
  readonly prunes: readonly ((cutoff: PruneCutoff, limit: number) => Promise<number>)[]
  /** Returns the current rule, which a reload may change. */
  readonly rule: () => RetentionRule
  readonly clock: Clock
  readonly everyMs: number
  readonly onFailure: (error: unknown) => void
}

/**
 * Deletes expired records immediately and then at an interval, one transaction per turn of the event loop. Returns a
 * function that stops the loop.
 */
export function startPruneLoop({ prunes, rule, clock, everyMs, onFailure }: PruneOptions): () => void {
  let stopped = false
  let busy = false
  const cutoff = (): PruneCutoff => {
    const { days, count } = rule()
    return { before: clock.now() - days * DAY_MS, keep: count }
  }
  const pruneAll = async () => {
    for (const prune of prunes) {
      while (!stopped && (await prune(cutoff(), MAX_PER_TRANSACTION)) > 0)
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
