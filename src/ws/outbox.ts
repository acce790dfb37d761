import type { WebSocket } from 'ws'

/** A reader that is this many bytes behind gets no more live messages until it has caught up. */
const MAX_BEHIND = 1024 * 1024

/** What is sent to one reader, with a bound on what waits for it. */
export class Outbox {
  readonly #socket: WebSocket
  /** How many messages were left out, by topic. */
  readonly #dropped = new Map<string | undefined, number>()

  constructor(socket: WebSocket) {
    this.#socket = socket
  }

  /** Answers the reader. One that asks and does not read is not listened to until it has caught up. */
  tell(message: object): void {
    this.#socket.send(JSON.stringify(message), this.#onSent)
    if (this.#isBehind) this.#socket.pause()
  }

  /** Sends a message that comes by itself, unless the reader is slow: then it is counted and told later. */
  offer(text: string, topic?: string): void {
    if (this.#isBehind) this.#dropped.set(topic, (this.#dropped.get(topic) ?? 0) + 1)
    else this.#socket.send(text, this.#onSent)
  }

  /** Sends messages, and fulfils when the system has taken the last one from us, or the socket is gone. */
  sendAll(texts: readonly string[]): Promise<void> {
    if (texts.length === 0) return Promise.resolve()
    return new Promise((resolve) => {
      for (const [index, text] of texts.entries()) {
        const isLast = index === texts.length - 1
        this.#socket.send(text, isLast ? () => resolve(this.#onSent()) : this.#onSent)
      }
    })
  }

  get #isBehind(): boolean {
    return this.#socket.bufferedAmount > MAX_BEHIND
  }

  readonly #onSent = (): void => {
    if (this.#isBehind || this.#socket.readyState !== this.#socket.OPEN) return
    if (this.#socket.isPaused) this.#socket.resume()
    if (this.#dropped.size === 0) return
    const dropped = [...this.#dropped]
    this.#dropped.clear()
    for (const [topic, count] of dropped) this.tell({ type: 'dropped', topic, count })
  }
}
