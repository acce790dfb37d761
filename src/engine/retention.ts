import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import { startPruneLoop } from '../lib/async/prune-loop.ts'
import type { RetentionRule } from '../lib/async/prune-loop.ts'
import type { Store } from '../store/store.ts'

const EVERY_MS = 600_000

/**
 * Deletes ended executions, agent runs and conversations that retention no longer covers, now and every ten
 * minutes, until the returned function is called.
 */
export function keepRetention(options: {
  store: Store
  clock: Clock
  logger: Logger
  rule: RetentionRule
}): () => void {
  const { store, clock, logger, rule } = options
  const rooms = [store.executions, store.agentRuns, store.conversations]
  return startPruneLoop({
    prunes: rooms.map(
      (room) =>
        ({ before, keep }, limit) =>
          room.prune({ endedBefore: before, keep }, limit),
    ),
    rule: () => rule,
    clock,
    everyMs: EVERY_MS,
    onFailure: (err) => logger.error({ err }, 'Failed to delete old records'),
  })
}
