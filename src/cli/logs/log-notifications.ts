import type { WebSocket } from 'ws'
import { CHANNELS } from '../../contract/channels.ts'
import type { LogQuery, LogRecord } from '../../contract/endpoints/log.ts'
import { isProduction } from '../../server/is-production.ts'
import type { CommandCall } from '../command.ts'

/** The polling interval without a WebSocket connection. */
const POLL_MS = 500
/** The polling interval with a WebSocket connection, in case a message is lost. */
const CONNECTED_POLL_MS = 5000
/** The delay before a closed or rejected WebSocket connection is opened again. */
const RECONNECT_MS = 1000

/** Notifies of new log records over the server's WebSocket channel, with polling as a fallback. */
export class LogNotifications {
  readonly #call: CommandCall
  readonly #query: LogQuery
  readonly #onRecord: (record: LogRecord) => void
  #url: string | undefined
  #socket: WebSocket | undefined
  #reconnectAt = 0
  #pending = false
  #wake: () => void = () => undefined

  /** `onRecord` is called with the records of the messages. */
  constructor(call: CommandCall, query: LogQuery, onRecord: (record: LogRecord) => void) {
    this.#call = call
    this.#query = query
    this.#onRecord = onRecord
  }

  /** Connects to the server at this URL, unless it is connected already. */
  subscribe(url: string | undefined): void {
    if (url === undefined || (this.#socket !== undefined && url === this.#url)) return
    if (url === this.#url && performance.now() < this.#reconnectAt) return
    this.#url = url
    this.#reconnectAt = performance.now() + RECONNECT_MS
    this.#socket?.terminate()
    void this.#open(url)
  }

  /** Resolves when new records may exist: after a message, or after the polling interval. */
  async next(pollMs = this.#isConnected ? CONNECTED_POLL_MS : POLL_MS): Promise<void> {
    if (!this.#pending) await this.#sleep(pollMs)
    this.#pending = false
  }

  /** Resolves after `ms`, regardless of messages. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, ms)
    })
  }

  close(): void {
    this.#socket?.terminate()
  }

  get #isConnected(): boolean {
    return this.#socket?.readyState === this.#socket?.OPEN && this.#socket !== undefined
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #open(base: string): Promise<void> {
    const { WebSocket: Socket } = await import('ws')
    const socket = new Socket(this.#address(base))
    this.#socket = socket
    const notify = () => {
      this.#pending = true
      this.#wake()
    }
    const onEnd = () => {
      this.#reconnectAt = performance.now() + RECONNECT_MS
      if (this.#socket === socket) this.#socket = undefined
      this.#wake()
    }
    socket.on('open', notify)
    socket.on('message', (message: Buffer) => {
      const { type, data } = JSON.parse(message.toString()) as { type: string; data: LogRecord }
      if (type === 'log') this.#onRecord(data)
      notify()
    })
    socket.on('close', onEnd)
    // a rejected handshake is reported by the next HTTP request, which is rejected as well
    socket.on('error', onEnd)
  }

  #address(base: string): URL {
    const { key, token } = this.#call.options
    const { level, q, executionId, traceId } = this.#query
    const dev = key === undefined && token === undefined && !isProduction(process.env) ? 'true' : undefined
    const address = new URL(CHANNELS.logs.path, base)
    address.protocol = address.protocol.replace('http', 'ws')
    for (const [name, value] of Object.entries({ key, token, dev, level, q, executionId, traceId }))
      if (value !== undefined) address.searchParams.set(name, value)
    return address
  }
}
