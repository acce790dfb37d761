import { DAY_MS } from '../clock.ts'
import type { Logger } from 'pino'
import type { ClockCheck } from '../clock-check.ts'
import { byteSize } from '../byte-size.ts'
import type { Clock } from '../clock.ts'

/** Limits the time that a transaction blocks other writers. */
const MAX_PER_TRANSACTION = 100
/** Telemetry may be deleted every few seconds. */
const LOG_EVERY_MS = 600_000

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

/** Deletes at most `limit` expired records and returns how many it deleted. */
export type Prune = (cutoff: PruneCutoff, limit: number) => Promise<number>

export interface PruneOptions {
  /** The name of each kind of record, and how it is deleted. */
  readonly prunes: Readonly<Record<string, Prune>>
  /** Gives a part of the space of deleted records back, and returns the bytes; 0 when there is none. */
  readonly giveBack?: () => Promise<number>
  /** Returns the current rule, which a reload may change. */
  readonly rule: () => RetentionRule
  readonly clock: Clock
  /** Nothing is deleted by age while the clock is not trusted. */
  readonly clockCheck: Pick<ClockCheck, 'isTrusted'>
  /** While the database has a problem, which its health reports, nothing is deleted. */
  readonly health: { readonly problem: Error | undefined }
  readonly logger: Logger
  readonly everyMs: number
}

/**
 * Deletes expired records immediately and then at an interval, one transaction per turn of the event loop, and logs how
 * many. Returns a function that stops the loop.
 */
export function startPruneLoop(options: PruneOptions): () => void {
  const { prunes, giveBack = async () => 0, rule, logger, everyMs, health } = options
  const deleted = new DeletionLog(logger)
  let stopped = false
  let busy = false
  const pruneAll = async () => {
    for (const [kind, prune] of Object.entries(prunes)) {
      for (let count = 1; !stopped && count > 0;) {
        const current = rule()
        count = await prune(cutoffOf(current, options), MAX_PER_TRANSACTION)
        deleted.add(kind, count, current)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    for (let bytes = 1; !stopped && bytes > 0;) {
      bytes = await giveBack()
      deleted.addBytes(bytes)
      await new Promise((resolve) => setImmediate(resolve))
    }
    deleted.log()
  }
  const run = () => {
    if (busy || stopped || health.problem) return
    busy = true
    void pruneAll()
      .catch((err: unknown) => {
        if (!health.problem) logger.error({ err }, `Failed to delete old ${Object.keys(prunes).join(', ')}`)
      })
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
    deleted.log({ atOnce: true })
  }
}

function cutoffOf(
  { days, count }: RetentionRule,
  { clock, clockCheck }: Pick<PruneOptions, 'clock' | 'clockCheck'>,
): PruneCutoff {
  return { before: clockCheck.isTrusted ? clock.now() - days * DAY_MS : 0, keep: count }
}

/** Logs what was deleted: the first deletion immediately, further ones summed up. */
class DeletionLog {
  readonly #logger: Logger
  readonly #counts = new Map<string, number>()
  /** By which the newest were deleted. */
  #rule: RetentionRule | undefined
  #bytes = 0
  #loggedAt = Number.NEGATIVE_INFINITY

  constructor(logger: Logger) {
    this.#logger = logger
  }

  add(kind: string, count: number, rule: RetentionRule): void {
    if (count === 0) return
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + count)
    this.#rule = rule
  }

  addBytes(bytes: number): void {
    this.#bytes += bytes
  }

  log({ atOnce = false } = {}): void {
    const now = performance.now()
    const isEmpty = this.#counts.size === 0 && this.#bytes === 0
    if (isEmpty || (!atOnce && now - this.#loggedAt < LOG_EVERY_MS)) return
    const logger = this.#logger
    if (this.#rule && this.#counts.size > 0) {
      const { days, count } = this.#rule
      const parts = [...this.#counts].map(([kind, deleted]) => `${deleted} ${kind}`)
      logger.info(`Retention deleted ${parts.join(', ')}: older than ${days} days, or more than ${count}`)
    }
    if (this.#bytes > 0)
      logger.info(`The database gave ${byteSize(this.#bytes)} of deleted records back to the file system`)
    this.#counts.clear()
    this.#bytes = 0
    this.#loggedAt = now
  }
}
