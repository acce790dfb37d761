import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { Store } from '../store/store.ts'

export interface RetentionRule {
  /** Ended executions and agent runs, and conversations, are kept this many days, */
  readonly days: number
  /** and no more than this many of the newest. */
  readonly count: number
}

const DAY_MS = 86_400_000
const EVERY_MS = 600_000
/** Records deleted per transaction, so that running ones hardly wait. */
const SLICE = 100

/** Deletes old records now and from time to time, until the returned function is called. */
export function keepRetention(options: {
  store: Store
  clock: Clock
  logger: Logger
  rule: RetentionRule
}): () => void {
  const { store, clock, logger, rule } = options
  let stopped = false
  let busy = false
  const prune = async () => {
    if (busy) return
    busy = true
    const retention = { endedBefore: clock.now() - rule.days * DAY_MS, keep: rule.count }
    for (const room of [store.executions, store.agentRuns, store.conversations]) {
      while (!stopped && (await room.prune(retention, SLICE)) === SLICE) {
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    busy = false
  }
  const run = () =>
    prune().catch((error: unknown) => {
      busy = false
      logger.error({ err: error }, 'Old records could not be deleted')
    })
  void run()
  const timer = setInterval(() => void run(), EVERY_MS)
  timer.unref()
  return () => {
    stopped = true
    clearInterval(timer)
  }
}
