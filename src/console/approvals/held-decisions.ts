import { Listeners } from '../services/listeners.ts'

/** How long a decision can be undone. The server knows no undo: until then it has not got the decision. */
export const HOLD_MS = 5000

/** A decision that the user has taken back. */
export class Undone extends Error {
  override readonly name = 'Undone'
}

/** A decision that was made on this page. */
export interface Decided {
  /** Such as `approved`. */
  readonly text: string
  /** Whether it can be undone: it is not sent yet. */
  readonly isHeld: boolean
}

/**
 * The bodies of requests that outlive their page may have 64 KiB together, here with room for the requests themselves:
 * https://fetch.spec.whatwg.org/#http-network-or-cache-fetch
 */
const MAX_HELD_BYTES = 60_000

interface Decision {
  readonly key: string
  /** Such as `approved`. */
  readonly text: string
  /** Of the request's body. */
  readonly bytes: number
}

interface Held {
  readonly bytes: number
  readonly send: (isLeaving: boolean) => void
  readonly undo: () => void
}

/** The decisions of a page. Each is held back for some seconds, in which it can be undone, and then sent. */
export class HeldDecisions {
  readonly #listeners = new Listeners()
  readonly #held = new Map<string, Held>()
  #decided: ReadonlyMap<string, Decided> = new Map()

  readonly decided = (): ReadonlyMap<string, Decided> => this.#decided

  readonly subscribe = this.#listeners.add

  /**
   * Holds a decision, and sends it later. `send` gets whether the page is being left, which requests must outlive.
   * Rejects with `Undone` when it is taken back, or when the item has a decision, and otherwise as `send`. What is too
   * large to outlive the page is sent at once.
   */
  hold<T>({ key, text, bytes }: Decision, send: (isLeaving: boolean) => Promise<T>): Promise<T> {
    if (this.#decided.has(key)) return Promise.reject(new Undone())
    return new Promise<T>((resolve, reject) => {
      const end = (decided: Decided | undefined) => {
        clearTimeout(timer)
        this.#held.delete(key)
        this.#set(key, decided)
      }
      const sendNow = (isLeaving: boolean) => {
        end({ text, isHeld: false })
        send(isLeaving).then(resolve, (error: Error) => {
          this.#set(key, undefined)
          reject(error)
        })
      }
      const timer = setTimeout(() => sendNow(false), HOLD_MS)
      const undo = () => {
        end(undefined)
        reject(new Undone())
      }
      const heldBytes = [...this.#held.values()].reduce((sum, held) => sum + held.bytes, bytes)
      if (heldBytes > MAX_HELD_BYTES) return sendNow(false)
      this.#held.set(key, { bytes, send: sendNow, undo })
      this.#set(key, { text, isHeld: true })
    })
  }

  undo(key: string): void {
    this.#held.get(key)?.undo()
  }

  /** Sends all at once, when the page is left. */
  flush(isLeaving: boolean): void {
    for (const { send } of this.#held.values()) send(isLeaving)
  }

  #set(key: string, decided: Decided | undefined): void {
    const next = new Map(this.#decided)
    if (decided) next.set(key, decided)
    else next.delete(key)
    this.#decided = next
    this.#listeners.notify()
  }
}
