import type { Logger } from 'pino'
import type { ClockCheck } from '../lib/clock-check.ts'
import type { Clock } from '../lib/clock.ts'
import { startPruneLoop } from '../lib/async/prune-loop.ts'
import type { RetentionRule } from '../lib/async/prune-loop.ts'
import type { Store } from '../store/store.ts'

/** Short, as thousands of records a second can arrive. */
const EVERY_MS = 10_000

/** Deletes log records and spans that retention does not cover, now and periodically, until the returned function is called. */
export function pruneTelemetry(options: {
  store: Pick<Store, 'logs' | 'traces' | 'health'>
  clock: Clock
  clockCheck: ClockCheck
  logger: Logger
  rule: () => RetentionRule
}): () => void {
  const { store, ...rest } = options
  return startPruneLoop({
    ...rest,
    health: store.health,
    prunes: {
      'log records': (outdated, limit) => store.logs.prune(outdated, limit),
      spans: (outdated, limit) => store.traces.prune(outdated, limit),
    },
    everyMs: EVERY_MS,
  })
}
