import type { LogRecord } from '../../contract/endpoints/log.ts'
import { EventHub } from '../../lib/async/event-hub.ts'

const ALL = 'logs'

/** Live feed of log records. Listeners are called synchronously. */
export class LogFeed {
  readonly #hub = new EventHub<LogRecord>()
  #listeners = 0

  /** Whether there are listeners: without them no record is created for the feed. */
  get hasListeners(): boolean {
    return this.#listeners > 0
  }

  /** Calls `listener` for each record until the returned function is called. */
  subscribe(listener: (record: LogRecord) => void): () => void {
    const leave = this.#hub.subscribe(ALL, listener)
    let subscribed = true
    this.#listeners++
    return () => {
      if (!subscribed) return
      subscribed = false
      this.#listeners--
      leave()
    }
  }

  publish(record: LogRecord): void {
    this.#hub.publish(ALL, record)
  }
}
