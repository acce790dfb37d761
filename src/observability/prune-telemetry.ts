import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import { startPruneLoop } from '../lib/async/prune-loop.ts'
import type { RetentionRule } from '../lib/async/prune-loop.ts'
import type { Store } from '../store/store.ts'

/** Short, as thousands of records a second can arrive. */
const EVERY_MS = 10_000

/** Deletes log records and spans that retention does not cover, now and periodically, until the returned function is called. */
export function pruneTelemetry(options: {
  store: Pick<Store, 'logs' | 'traces'>
  clock: Clock
  logger: Logger
  rule: () => RetentionRule
}): () => void {
  const { store, clock, logger, rule } = options
  return startPruneLoop({
    prunes: [store.logs, store.traces].map((part) => (outdated, limit) => part.prune(outdated, limit)),
    rule,
    clock,
    everyMs: EVERY_MS,
    onFailure: (err) => logger.error({ err }, 'Cannot delete old log records and spans'),
  })
}
