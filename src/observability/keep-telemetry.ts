import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import { pruneSteadily } from '../lib/prune-steadily.ts'
import type { Store } from '../store/store.ts'

export interface TelemetryRule {
  /** Log records and spans are kept this many days, */
  readonly days: number
  /** and of each no more than this many of the newest. */
  readonly count: number
}

const DAY_MS = 86_400_000
/** They come by thousands a second: what is too much is not there for long. */
const EVERY_MS = 10_000

/** Deletes old log records and spans now and from time to time, until the returned function is called. */
export function keepTelemetry(options: {
  store: Pick<Store, 'logs' | 'traces'>
  clock: Clock
  logger: Logger
  /** As the configuration has it now. */
  rule: () => TelemetryRule
}): () => void {
  const { store, clock, logger, rule } = options
  return pruneSteadily({
    prunes: [store.logs, store.traces].map((room) => (limit: number) => {
      const { days, count: keep } = rule()
      return room.prune({ before: clock.now() - days * DAY_MS, keep }, limit)
    }),
    everyMs: EVERY_MS,
    onFailure: (err) => logger.error({ err }, 'Old log records and spans could not be deleted'),
  })
}
