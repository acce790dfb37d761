import { AsyncLocalStorage } from 'node:async_hooks'
import type { ToolContext } from '../../agent/tools/tool.ts'
import { AppError } from '../../lib/errors.ts'

/** The caller of a request to a server, who answers requests that the server sends meanwhile. */
export type RequestContext = Pick<ToolContext, 'signal' | 'trace' | 'elicit' | 'sample'>

interface InFlight {
  readonly context: RequestContext
  readonly limit: TimeLimit
}

/** The maximum time that timers can have: the SDK's own time limit is not used. */
export const NO_TIMEOUT_MS = 2 ** 31 - 1

/** The requests to a server that have no response yet, to find the one that a request of the server belongs to. */
export class CallsInFlight {
  readonly #scope = new AsyncLocalStorage<InFlight>()
  readonly #all = new Set<InFlight>()

  /** Runs a call, which fails after `timeoutMs` that it does not wait for a response of its caller. */
  async run<T>(
    context: RequestContext,
    timeoutMs: number,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const limit = new TimeLimit(timeoutMs)
    const inFlight = { context, limit }
    this.#all.add(inFlight)
    try {
      const signal = AbortSignal.any([context.signal, limit.signal])
      return await this.#scope.run(inFlight, () => call(signal))
    } finally {
      limit.end()
      this.#all.delete(inFlight)
    }
  }

  /**
   * Answers a request of the server by the caller of the call that it belongs to. Over HTTP it arrives within the
   * response to the call; on standard output nothing connects them, so one call only may not wait for a response yet.
   *
   * @throws AppError `conflict` when it may belong to several calls.
   */
  async answer<T>(respond: (context: RequestContext) => Promise<T>): Promise<T> {
    const { context, limit } = this.#current()
    limit.pause()
    try {
      return await respond(context)
    } finally {
      limit.restart()
    }
  }

  #current(): InFlight {
    const current = this.#scope.getStore()
    // the connection itself was opened within a call that may have ended
    if (current && this.#all.has(current)) return current
    // a tool that waits for a response sends no other request meanwhile
    const active = [...this.#all].filter(({ limit }) => !limit.isPaused)
    const [only, another] = active.length === 0 ? this.#all : active
    if (only && !another) return only
    throw new AppError(
      'conflict',
      only ? 'The request may belong to several tool calls' : 'The request belongs to no tool call',
    )
  }
}

/** A time limit that stands still while it is paused, and then starts again. */
class TimeLimit {
  readonly #ms: number
  readonly #abort = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #pauses = 0

  constructor(ms: number) {
    this.#ms = ms
    this.#start()
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get isPaused(): boolean {
    return this.#pauses > 0
  }

  pause(): void {
    this.#pauses++
    clearTimeout(this.#timer)
  }

  restart(): void {
    this.#pauses--
    if (this.#pauses === 0) this.#start()
  }

  end(): void {
    this.#pauses = Infinity
    clearTimeout(this.#timer)
  }

  #start(): void {
    this.#timer = setTimeout(
      () => this.#abort.abort(new AppError('unavailable', `no response within ${this.#ms} ms`)),
      this.#ms,
    )
  }
}
