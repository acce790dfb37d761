import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import { startDeadline } from '../../../lib/async/deadline.ts'
import { createDeferred } from '../../../lib/async/wake-up.ts'
import { AppError } from '../../../lib/errors.ts'
import { randomHexGenerator } from '../../../lib/ids.ts'
import { ownerKey } from '../sessions/session-owner.ts'
import type { SessionOwner } from '../sessions/session-owner.ts'
import type { LinkedAbort } from '../../../lib/async/linked-abort.ts'
import type { ClientRequest } from './client-requests.ts'
import { PendingRequests } from './pending-requests.ts'

const REQUEST_ID_BYTES = 8

/** The parts of an exchange that a paused call uses. */
export interface PausableExchange {
  /** Aborts when the client disconnects, the request is cancelled or the server stops. */
  readonly signal: AbortSignal
  readonly owner: SessionOwner
  readonly paused: PausedCalls
  readonly lifetime: LinkedAbort
  /**
   * Keeps the code of a call loaded after its exchange, until `end` is called. The signal aborts when the server
   * stops.
   */
  readonly retain: () => { readonly signal: AbortSignal; readonly end: () => void }
}

/**
 * A tool call of a client on revision 2026-xx. A request to the client is returned as the result of the exchange;
 * the call then waits until the client calls again with the responses (MCP 2026-07-28, multi round-trip requests).
 */
export class InputRequiredCall {
  readonly tool: string
  /** The context of the current exchange, or of the last one while the call is paused. */
  context: ServerContext
  readonly #exchange: PausableExchange
  readonly #pending: PendingRequests
  readonly #requests = new Map<string, ClientRequest>()
  #wake = createDeferred<void>()
  #result: Promise<CallToolResult> | undefined
  /** Held from the first pause to the end of the call. */
  #retained: ReturnType<PausableExchange['retain']> | undefined
  #state: string | undefined

  constructor(tool: string, { exchange, context }: { exchange: PausableExchange; context: ServerContext }) {
    const randomHex = randomHexGenerator()
    this.tool = tool
    this.context = context
    this.#exchange = exchange
    this.#pending = new PendingRequests(() => randomHex(REQUEST_ID_BYTES))
  }

  start(run: () => Promise<CallToolResult>): void {
    this.#result = run().finally(() => this.#end())
    // next() rejects with it; while the call is paused nothing awaits it
    this.#result.catch(() => undefined)
  }

  /** Sends a request with the result of the exchange, and resolves with the client's response in a later one. */
  async send(request: ClientRequest, timeoutMs: number): Promise<unknown> {
    const { paused, owner, lifetime } = this.#exchange
    if (!paused.hasRoom(owner))
      throw new AppError('unavailable', 'Too many calls are waiting for responses of clients')
    const timeout = () => new AppError('unavailable', `The client did not respond within ${timeoutMs} ms`)
    const deadline = startDeadline(timeoutMs, lifetime.signal, timeout)
    const ids: string[] = []
    const send = (id: string) => {
      ids.push(id)
      this.#requests.set(id, request)
      this.#wake.resolve()
      return Promise.resolve()
    }
    try {
      return await this.#pending.send(send, deadline.signal)
    } finally {
      deadline.clear()
      for (const id of ids) this.#requests.delete(id)
    }
  }

  /** Continues the call in another exchange, which carries the responses by request id. */
  resume({ signal }: PausableExchange, context: ServerContext): void {
    this.#exchange.lifetime.follow(signal)
    this.context = context
    for (const [id, result] of Object.entries(context.mcpReq.inputResponses ?? {})) {
      this.#requests.delete(id)
      this.#pending.settle({ id, result })
    }
  }

  /** The result of the current exchange: the result of the tool, or the requests to the client. */
  async next(): Promise<CallToolResult | InputRequiredResult> {
    const result = this.#result?.then((value) => ({ value }))
    for (;;) {
      if (this.#requests.size > 0) return this.#pause()
      this.#wake = createDeferred()
      const ended = await Promise.race([result, this.#wake.promise.then(() => undefined)])
      if (ended) return ended.value
    }
  }

  #end(): void {
    if (this.#state !== undefined) this.#exchange.paused.delete(this.#state)
    this.#retained?.end()
    this.#wake.resolve()
  }

  #pause(): InputRequiredResult {
    const { paused, owner, lifetime, retain } = this.#exchange
    const state = paused.add(this, owner)
    this.#retained ??= retain()
    lifetime.follow(this.#retained.signal)
    this.#state = state
    return {
      resultType: 'input_required',
      inputRequests: Object.fromEntries(this.#requests),
      requestState: state,
    }
  }
}

/** A client must not exhaust the memory. */
const MAX_PAUSED = 1000
const MAX_PAUSED_PER_OWNER = 50
const STATE_BYTES = 16

interface Paused {
  readonly call: InputRequiredCall
  readonly owner: string
}

/** The calls that wait for their clients to call again with responses. */
export class PausedCalls {
  readonly #randomHex = randomHexGenerator()
  readonly #paused = new Map<string, Paused>()

  /** Whether the limits allow this owner to pause one more call. */
  hasRoom(owner: SessionOwner): boolean {
    if (this.#paused.size >= MAX_PAUSED) return false
    const key = ownerKey(owner)
    const ownPaused = [...this.#paused.values()].filter((one) => one.owner === key)
    return ownPaused.length < MAX_PAUSED_PER_OWNER
  }

  /** Stores a call and returns the one-time `requestState` that its client resumes it with. */
  add(call: InputRequiredCall, owner: SessionOwner): string {
    const state = this.#randomHex(STATE_BYTES)
    this.#paused.set(state, { call, owner: ownerKey(owner) })
    return state
  }

  /** Removes and returns the call of this state, if it belongs to this owner and tool. */
  take(state: string, owner: SessionOwner, tool: string): InputRequiredCall | undefined {
    const paused = this.#paused.get(state)
    if (paused?.owner !== ownerKey(owner) || paused.call.tool !== tool) return undefined
    this.#paused.delete(state)
    return paused.call
  }

  /** Removes a call that ended while it was paused. */
  delete(state: string): void {
    this.#paused.delete(state)
  }
}
