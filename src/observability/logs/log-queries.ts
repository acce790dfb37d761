import type { LogRecord } from '../../contract/endpoints/log.ts'
import { delay } from '../../lib/clock.ts'
import type { LogFilter, LogPage, LogStore } from '../../store/log-store.ts'
import { entryOfRow, shownEntry } from './log-entry.ts'
import type { ServerLogs } from './server-logs.ts'

const MAX_WAIT_MS = 250

export interface LogPageResult {
  readonly records: readonly LogRecord[]
  /** Leads to the records after these; none when these are the last. */
  readonly next: number | undefined
}

/** Answers questions about the log, with what was logged up to this moment. */
export class LogQueries {
  readonly #store: LogStore
  readonly #logs: Pick<ServerLogs, 'flush' | 'lost'>

  constructor(store: LogStore, logs: Pick<ServerLogs, 'flush' | 'lost'>) {
    this.#store = store
    this.#logs = logs
  }

  /** Newest first. */
  async list(filter: LogFilter, { limit, before }: LogPage): Promise<LogPageResult> {
    await this.#settled()
    const rows = await this.#store.list(filter, { limit: limit + 1, before })
    const shown = rows.slice(0, limit)
    return {
      records: shown.map((row) => shownEntry(entryOfRow(row))),
      next: rows.length > limit ? shown.at(-1)?.id : undefined,
    }
  }

  /** Under a flood there is always more to store: what is asked for does not wait for its end. */
  async #settled(): Promise<void> {
    const timer = new AbortController()
    await Promise.race([this.#logs.flush(), delay(MAX_WAIT_MS, timer.signal).catch(() => undefined)])
    timer.abort()
  }

  /** Records that never got into the database. */
  get lost(): number {
    return this.#logs.lost
  }

  async count(): Promise<number> {
    await this.#settled()
    return this.#store.count()
  }
}
