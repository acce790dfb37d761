import { AppError } from '../../../lib/errors.ts'
import { deferred, type Deferred } from '../../../lib/async/deferred.ts'
import { abortable } from '../../../lib/async/abortable.ts'

/** Questions that wait at once; each holds up a tool. */
const MOST_OPEN = 16

/** A JSON-RPC response. */
export interface Answer {
  readonly id?: string | number | undefined
  readonly result?: unknown
  readonly error?: unknown
}

/** What a client was asked and has not answered yet. */
export class ClientQuestions {
  readonly #open = new Map<string, Deferred<unknown>>()
  readonly #newId: () => string

  constructor(newId: () => string) {
    this.#newId = newId
  }

  /**
   * Fulfils with the `result` of the answer to what `send` sends.
   *
   * @throws AppError `unavailable` when too much waits already or the client answers with an error; else the
   *   signal's reason.
   */
  async ask(send: (id: string) => Promise<void>, signal: AbortSignal): Promise<unknown> {
    if (this.#open.size >= MOST_OPEN)
      throw new AppError('unavailable', `The client has ${MOST_OPEN} questions to answer already`)
    const id = this.#newId()
    const answer = deferred<unknown>()
    this.#open.set(id, answer)
    try {
      await abortable(send(id), signal)
      return await abortable(answer.promise, signal)
    } finally {
      this.#open.delete(id)
      // an answer may come while its asker is being told that it is late
      answer.promise.catch(() => undefined)
    }
  }

  /** Hands an answer to who waits for it. One that nobody waits for any more is dropped. */
  answer({ id, result, error }: Answer): void {
    const waiting = this.#open.get(String(id))
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new AppError('unavailable', `The client could not answer: ${textOf(error)}`))
  }
}

const LONGEST_TEXT = 500

function textOf(error: unknown): string {
  const message: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : error
  return typeof message === 'string' ? message.slice(0, LONGEST_TEXT) : 'it gave no reason'
}
