import type { LogRecord } from '../../contract/endpoints/log.ts'
import type { LogFilter, LogOwners, LogPage, LogStore } from '../../store/log-store.ts'
import { flushWithin } from '../../lib/async/flush-within.ts'
import { entryOfRow, toApiRecord } from './log-entry.ts'
import type { ServerLogs } from './server-logs.ts'

const MAX_WAIT_MS = 250

export interface LogPageResult {
  readonly records: readonly LogRecord[]
  /** Cursor of the next page; `undefined` on the last. */
  readonly next: number | undefined
}

/** Queries of the log, including records that were logged just before. */
export class LogQueries {
  readonly #store: LogStore
  readonly #logs: Pick<ServerLogs, 'flush' | 'lost'>

  constructor(store: LogStore, logs: Pick<ServerLogs, 'flush' | 'lost'>) {
    this.#store = store
    this.#logs = logs
  }

  /** Newest first. */
  async list(filter: LogFilter, { limit, before }: LogPage): Promise<LogPageResult> {
    await this.#flush()
    const rows = await this.#store.list(filter, { limit: limit + 1, before })
    const shown = rows.slice(0, limit)
    return {
      records: shown.map((row) => toApiRecord(entryOfRow(row))),
      next: rows.length > limit ? shown.at(-1)?.id : undefined,
    }
  }

  /** Deletes the records of executions and traces. Returns their number. */
  async erase(owners: LogOwners): Promise<number> {
    await this.#flush()
    return this.#store.delete(owners)
  }

  #flush(): Promise<void> {
    return flushWithin(MAX_WAIT_MS, () => this.#logs.flush())
  }

  /** Number of records that were not stored. */
  get lost(): number {
    return this.#logs.lost
  }

  async count(): Promise<number> {
    await this.#flush()
    return this.#store.count()
  }
}
