import { EventEmitter } from 'node:events'
import type { WebSocket } from 'ws'

/** A WebSocket whose reader receives messages only when the test allows it. */
export class FakeSocket extends EventEmitter {
  readonly OPEN = 1
  readyState = 1
  isPaused = false
  readonly sent: unknown[] = []
  #waiting: { readonly bytes: number; readonly onSent: (() => void) | undefined }[] = []
  /** Whether the reader receives everything immediately. */
  reads = true

  get bufferedAmount(): number {
    return this.#waiting.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  get asSocket(): WebSocket {
    return this as unknown as WebSocket
  }

  send(text: string, onSent?: () => void): void {
    this.sent.push(JSON.parse(text))
    this.#waiting.push({ bytes: Buffer.byteLength(text), onSent })
    if (this.reads) this.take()
  }

  /** Lets the reader receive all queued messages. */
  take(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const { onSent } of waiting) onSent?.()
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
  }
}
