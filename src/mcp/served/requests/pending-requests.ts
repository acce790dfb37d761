import { AppError } from '../../../lib/errors.ts'
import { createDeferred } from '../../../lib/async/wake-up.ts'
import type { Deferred } from '../../../lib/async/wake-up.ts'
import { abortable } from '../../../lib/async/abortable.ts'

/** The maximum number of unanswered requests to a client; each blocks a tool. */
const MAX_PENDING = 16

export interface JsonRpcResponse {
  readonly id?: string | number | undefined
  readonly result?: unknown
  readonly error?: unknown
}

/** Requests to one client that have no response yet. */
export class PendingRequests {
  readonly #pending = new Map<string, Deferred<unknown>>()
  readonly #newId: () => string

  constructor(newId: () => string) {
    this.#newId = newId
  }

  /**
   * Sends a request with `send` and resolves with the `result` of its response.
   *
   * @throws AppError `unavailable` when too many requests are pending or the client responds with an error;
   *   otherwise the signal's reason.
   */
  async send(send: (id: string) => Promise<void>, signal: AbortSignal): Promise<unknown> {
    if (this.#pending.size >= MAX_PENDING)
      throw new AppError('unavailable', `The client already has ${MAX_PENDING} pending requests`)
    const id = this.#newId()
    const response = createDeferred<unknown>()
    this.#pending.set(id, response)
    try {
      await abortable(send(id), signal)
      return await abortable(response.promise, signal)
    } finally {
      this.#pending.delete(id)
      // a response may reject after the signal has aborted
      response.promise.catch(() => undefined)
    }
  }

  /** Settles the request that a response belongs to. Responses to requests that are not pending are ignored. */
  settle({ id, result, error }: JsonRpcResponse): void {
    const pending = this.#pending.get(String(id))
    if (error === undefined) pending?.resolve(result)
    else pending?.reject(new AppError('unavailable', `The client returned an error: ${messageOf(error)}`))
  }
}

const MAX_MESSAGE_LENGTH = 500

function messageOf(error: unknown): string {
  const message: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : error
  return typeof message === 'string' ? message.slice(0, MAX_MESSAGE_LENGTH) : 'no message'
}
