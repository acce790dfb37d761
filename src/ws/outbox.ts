import type { WebSocket } from 'ws'

/** A reader with more bytes in its send buffer is slow: live messages to it are dropped. */
const MAX_BUFFERED_BYTES = 1024 * 1024

/** The messages to one reader, with a limit on its send buffer. */
export class Outbox {
  readonly #socket: WebSocket
  /** The number of dropped messages by topic. */
  readonly #dropped = new Map<string | undefined, number>()

  constructor(socket: WebSocket) {
    this.#socket = socket
  }

  /** Sends a reply. Requests of a slow reader are not read until it has caught up. */
  send(message: object): void {
    this.#socket.send(JSON.stringify(message), this.#onSent)
    if (this.#isSlow) this.#socket.pause()
  }

  /** Sends a live message. For a slow reader it is dropped, and the number of dropped messages is sent later. */
  offer(text: string, topic?: string): void {
    if (this.#isSlow) this.#dropped.set(topic, (this.#dropped.get(topic) ?? 0) + 1)
    else this.#socket.send(text, this.#onSent)
  }

  /** Sends messages. Resolves when the last one was written to the socket, or the socket is closed. */
  sendAll(texts: readonly string[]): Promise<void> {
    if (texts.length === 0) return Promise.resolve()
    return new Promise((resolve) => {
      for (const [index, text] of texts.entries()) {
        const isLast = index === texts.length - 1
        this.#socket.send(text, isLast ? () => resolve(this.#onSent()) : this.#onSent)
      }
    })
  }

  get #isSlow(): boolean {
    return this.#socket.bufferedAmount > MAX_BUFFERED_BYTES
  }

  readonly #onSent = (): void => {
    if (this.#isSlow || this.#socket.readyState !== this.#socket.OPEN) return
    if (this.#socket.isPaused) this.#socket.resume()
    if (this.#dropped.size === 0) return
    const dropped = [...this.#dropped]
    this.#dropped.clear()
    for (const [topic, count] of dropped) this.send({ type: 'dropped', topic, count })
  }
}
