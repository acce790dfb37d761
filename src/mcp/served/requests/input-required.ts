import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import { startDeadline } from '../../../lib/async/deadline.ts'
import { deferred } from '../../../lib/async/deferred.ts'
import { AppError } from '../../../lib/errors.ts'
import { randomHexGenerator } from '../../../lib/ids.ts'
import type { McpExchange } from './handle-request.ts'
import type { ClientRequest } from './client-requests.ts'
import { ClientQuestions } from './pending-requests.ts'

const ID_BYTES = 8

/**
 * A call of a client of the 2026 revision. What it asks is the result of the exchange; it waits without one until
 * the client calls again with the answers (MCP 2026-07-28, multi round-trip requests).
 */
export class PausableCall {
  readonly tool: string
  /** Of the exchange that it is in now, or was in last. */
  context: ServerContext
  readonly #exchange: McpExchange
  readonly #questions: ClientQuestions
  readonly #asked = new Map<string, ClientRequest>()
  #woken = deferred<void>()
  #result: Promise<CallToolResult> | undefined
  /** Of the time between two exchanges. */
  #alone: ReturnType<McpExchange['outlive']> | undefined
  #state: string | undefined

  constructor(tool: string, { exchange, context }: { exchange: McpExchange; context: ServerContext }) {
    const randomHex = randomHexGenerator()
    this.tool = tool
    this.context = context
    this.#exchange = exchange
    this.#questions = new ClientQuestions(() => randomHex(ID_BYTES))
  }

  begin(run: () => Promise<CallToolResult>): void {
    this.#result = run().finally(() => this.#end())
    // whoever waits for the result is told; while it is paused, nobody is
    this.#result.catch(() => undefined)
  }

  /** Asks the client when the exchange ends, and fulfils with what it answers in a later one. */
  async ask(request: ClientRequest, timeoutMs: number): Promise<unknown> {
    const { paused, owner, life } = this.#exchange
    if (!paused.hasRoom(owner)) throw new AppError('unavailable', 'Too many calls wait for answers already')
    const late = () => new AppError('unavailable', `The client did not answer within ${timeoutMs} ms`)
    const deadline = startDeadline(timeoutMs, life.signal, late)
    const asked: string[] = []
    const send = (id: string) => {
      asked.push(id)
      this.#asked.set(id, request)
      this.#woken.resolve()
      return Promise.resolve()
    }
    try {
      return await this.#questions.ask(send, deadline.signal)
    } finally {
      deadline.clear()
      for (const id of asked) this.#asked.delete(id)
    }
  }

  /** The call goes on in another exchange, with answers by the keys of what was asked. */
  resume({ signal }: McpExchange, context: ServerContext): void {
    this.#exchange.life.follow(signal)
    this.context = context
    for (const [id, result] of Object.entries(context.mcpReq.inputResponses ?? {})) {
      this.#asked.delete(id)
      this.#questions.answer({ id, result })
    }
  }

  /** The result of the call, or of this exchange: what it asks. */
  async next(): Promise<CallToolResult | InputRequiredResult> {
    const result = this.#result?.then((value) => ({ value }))
    for (;;) {
      if (this.#asked.size > 0) return this.#pause()
      this.#woken = deferred()
      const ended = await Promise.race([result, this.#woken.promise.then(() => undefined)])
      if (ended) return ended.value
    }
  }

  #end(): void {
    if (this.#state !== undefined) this.#exchange.paused.delete(this.#state)
    this.#alone?.end()
    this.#woken.resolve()
  }

  #pause(): InputRequiredResult {
    const { paused, owner, life, outlive } = this.#exchange
    const state = paused.add(this, owner)
    this.#alone ??= outlive()
    life.follow(this.#alone.signal)
    this.#state = state
    return {
      resultType: 'input_required',
      inputRequests: Object.fromEntries(this.#asked),
      requestState: state,
    }
  }
}
