import { performance } from 'node:perf_hooks'
import type { Logger } from 'pino'
import type { LogStore } from '../../store/log-store.ts'
import type { SearchRecord } from '../../store/search/search-store.ts'
import type { Store } from '../../store/store.ts'
import type { Clock } from '../../lib/clock.ts'
import { searchDocument } from './search-document.ts'

/** Pause between two looks for changes. */
const EVERY_MS = 250
/** Pause after another machine has indexed the same changes. */
const OTHER_MS = 1000
/** Documents in a transaction, which takes a few milliseconds. */
const AT_ONCE = 32
/** The newest log records of an execution or run that are indexed. */
const LOGS_OF_RECORD = 20
const MAX_LOG_CHARS = 512

export interface SearchIndexDeps {
  readonly store: Pick<Store, 'search' | 'logs' | 'health'>
  /** Stores the log records so far. */
  readonly flushLogs: () => Promise<void>
  readonly logger: Logger
  readonly clock: Clock
}

/**
 * Brings the full-text index up to date with the records, some at a time, apart from the commits of executions. How far
 * it is, is stored together with the documents: after a crash the next process continues there.
 */
export class SearchIndex {
  readonly #deps: SearchIndexDeps
  #timer: NodeJS.Timeout | undefined
  #isStopped = true
  #utilization = performance.eventLoopUtilization()
  #running: Promise<boolean> | undefined
  /** The time of the first change that was not indexed at the last look. */
  #firstLeft: number | undefined
  #isLeftToOther = false

  constructor(deps: SearchIndexDeps) {
    this.#deps = deps
  }

  /** Indexes what has changed, now and later, until the returned function is called. That resolves at the end of a slice. */
  start(): () => Promise<void> {
    this.#isStopped = false
    this.#schedule(EVERY_MS)
    return async () => {
      this.#isStopped = true
      clearTimeout(this.#timer)
      await this.#running?.catch(() => false)
    }
  }

  /** The time up to which changes are found, in milliseconds since the epoch: now, if the index is up to date. */
  get indexedUntil(): number {
    return this.#firstLeft ?? this.#deps.clock.now()
  }

  /** The age of the oldest change that is not found yet, in milliseconds; 0 if the index is up to date. */
  get lagMs(): number {
    return Math.max(0, this.#deps.clock.now() - this.indexedUntil)
  }

  /** Indexes the next changes, if there are any. Returns whether there may be more. */
  async advance(): Promise<boolean> {
    if (this.#isStopped) return false
    return (this.#running ??= this.#slice().finally(() => {
      this.#running = undefined
    }))
  }

  #schedule(afterMs: number): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => void this.#turn(), afterMs)
    this.#timer.unref()
  }

  async #turn(): Promise<void> {
    const { logger, store } = this.#deps
    const share = indexingShare(this.#utilizationSince())
    const startedAt = performance.now()
    let mayHaveMore = false
    try {
      mayHaveMore = !store.health.problem && (await this.advance())
    } catch (err) {
      if (!store.health.problem) logger.error({ err }, 'Failed to update the search index')
    }
    const pauseMs = (performance.now() - startedAt) * (1 / share - 1)
    this.#utilization = performance.eventLoopUtilization()
    const minMs = this.#isLeftToOther ? OTHER_MS : mayHaveMore ? 0 : EVERY_MS
    this.#schedule(Math.max(minMs, pauseMs))
  }

  /** The share of the time in which the process was busy with other work since the last slice. */
  #utilizationSince(): number {
    return performance.eventLoopUtilization(this.#utilization).utilization
  }

  async #slice(): Promise<boolean> {
    const { store, flushLogs } = this.#deps
    const { records, changes, since } = await store.search.outdated(AT_ONCE)
    this.#firstLeft = since
    this.#isLeftToOther = false
    if (!changes) return false
    await flushLogs()
    const documents = await Promise.all(
      records.map(async (record) => searchDocument(record, await loggedIn(store.logs, record))),
    )
    this.#isLeftToOther = !(await store.search.index(documents, changes))
    return true
  }
}

/**
 * The share of the time for indexing while changes wait: half of it in an idle process, a hundredth in a busy one, so
 * that executions are not slower.
 *
 * @param utilization the share of the time in which the process is busy with other work
 */
export function indexingShare(utilization: number): number {
  return Math.max(0.01, 0.5 * (1 - utilization) ** 2)
}

/** The messages that were logged in an execution, or in a run that is not part of one. */
export async function loggedIn(
  logs: Pick<LogStore, 'list'>,
  { kind, id, traceId, parentId }: SearchRecord,
): Promise<string[]> {
  if (kind === 'run' && parentId !== null) return []
  const filter = kind === 'execution' ? { executionId: id } : { traceId }
  const rows = await logs.list(filter, { limit: LOGS_OF_RECORD })
  return rows.map(({ message }) => message.slice(0, MAX_LOG_CHARS))
}
