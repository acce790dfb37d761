import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import { pruneSteadily } from '../lib/prune-steadily.ts'
import type { Store } from '../store/store.ts'

export interface RetentionRule {
  /** Ended executions and agent runs, and conversations, are kept this many days, */
  readonly days: number
  /** and no more than this many of the newest. */
  readonly count: number
}

const DAY_MS = 86_400_000
const EVERY_MS = 600_000

/** Deletes old records now and from time to time, until the returned function is called. */
export function keepRetention(options: {
  store: Store
  clock: Clock
  logger: Logger
  rule: RetentionRule
}): () => void {
  const { store, clock, logger, rule } = options
  return pruneSteadily({
    prunes: [store.executions, store.agentRuns, store.conversations].map((room) => (limit: number) => {
      const endedBefore = clock.now() - rule.days * DAY_MS
      return room.prune({ endedBefore, keep: rule.count }, limit)
    }),
    everyMs: EVERY_MS,
    onFailure: (err) => logger.error({ err }, 'Old records could not be deleted'),
  })
}
