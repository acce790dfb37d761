import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import { startPruneLoop } from '../lib/async/prune-loop.ts'
import type { RetentionRule } from '../lib/async/prune-loop.ts'
import type { Store } from '../store/store.ts'

/** They come by thousands a second: what is too much is not there for long. */
const EVERY_MS = 10_000

/** Deletes old log records and spans now and from time to time, until the returned function is called. */
export function pruneTelemetry(options: {
  store: Pick<Store, 'logs' | 'traces'>
  clock: Clock
  logger: Logger
  rule: () => RetentionRule
}): () => void {
  const { store, clock, logger, rule } = options
  return startPruneLoop({
    prunes: [store.logs, store.traces].map((room) => (outdated, limit) => room.prune(outdated, limit)),
    rule,
    clock,
    everyMs: EVERY_MS,
    onFailure: (err) => logger.error({ err }, 'Old log records and spans could not be deleted'),
  })
}
