import type { LogRecord } from '../../contract/endpoints/log.ts'
import { EventHub } from '../../lib/async/event-hub.ts'

const ALL = 'logs'

/** Log records as they are made, to whoever listens: called in the turn in which something was logged. */
export class LogFeed {
  readonly #hub = new EventHub<LogRecord>()
  #listeners = 0

  /** Whether anybody listens; without, records need not be made for it. */
  get isHeard(): boolean {
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
