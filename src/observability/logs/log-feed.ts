import type { LogRecord } from '../../contract/endpoints/log.ts'
import { EventHub } from '../../lib/async/event-hub.ts'
import { RefCounted } from '../../lib/async/ref-counted.ts'
import type { LogStore } from '../../store/log-store.ts'
import { entryOfRow, toApiRecord } from './log-entry.ts'

const ALL = 'logs'

/** Live feed of log records: those of this process at once, those of others when they are stored. */
export class LogFeed {
  readonly #hub = new EventHub<LogRecord>()
  readonly #others = new RefCounted()

  /** Whether there are listeners: without them no record is created for the feed. */
  get hasListeners(): boolean {
    return this.#others.isUsed
  }

  /** Calls `listener` synchronously for each record, until the returned function is called. */
  subscribe(listener: (record: LogRecord) => void): () => void {
    const leave = this.#hub.subscribe(ALL, listener)
    const endUse = this.#others.use()
    return () => {
      endUse()
      leave()
    }
  }

  /** Publishes also what other processes store, while there are listeners. */
  follow(store: Pick<LogStore, 'follow'>): void {
    this.#others.run(() =>
      store.follow((rows) => {
        for (const row of rows) this.publish(toApiRecord(entryOfRow(row)))
      }),
    )
  }

  publish(record: LogRecord): void {
    this.#hub.publish(ALL, record)
  }
}
