import type { Logger } from 'pino'
import type { LogStore } from '../../store/log-store.ts'
import type { SearchRecord } from '../../store/search/search-store.ts'
import type { Store } from '../../store/store.ts'
import { searchDocument } from './search-document.ts'

/** Pause between two looks for changes. */
const EVERY_MS = 250
/** The share of the time that indexing may take while changes wait. */
const MAX_SHARE = 0.1
/** The same while the process is busy, so that executions are not slower. */
const MAX_BUSY_SHARE = 0.01
/** The part of the time from which on a process is busy. */
const BUSY = 0.3
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
    const startedAt = performance.now()
    let mayHaveMore = false
    try {
      mayHaveMore = !store.health.problem && (await this.advance())
    } catch (err) {
      if (!store.health.problem) logger.error({ err }, 'Failed to update the search index')
    }
    const pauseMs = (performance.now() - startedAt) * (1 / this.#share() - 1)
    this.#schedule(mayHaveMore ? pauseMs : Math.max(EVERY_MS, pauseMs))
  }

  /** The share of the time for indexing, by how busy the process has been since the last slice. */
  #share(): number {
    const before = this.#utilization
    this.#utilization = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(this.#utilization, before)
    return utilization > BUSY ? MAX_BUSY_SHARE : MAX_SHARE
  }

  async #slice(): Promise<boolean> {
    const { store, flushLogs } = this.#deps
    const { records, changes } = await store.search.outdated(AT_ONCE)
    if (!changes) return false
    await flushLogs()
    const documents = await Promise.all(
      records.map(async (record) => searchDocument(record, await loggedIn(store.logs, record))),
    )
    await store.search.index(documents, changes)
    return true
  }
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
