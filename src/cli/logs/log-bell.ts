import type { WebSocket } from 'ws'
import { CHANNELS } from '../../contract/channels.ts'
import type { LogQuery } from '../../contract/endpoints/log.ts'
import { isProduction } from '../../server/is-production.ts'
import type { CommandCall } from '../command.ts'

/** Where nobody tells of new records, or the telling is only as good as a network, they are looked for this often. */
const UNTOLD_MS = 500
const TOLD_MS = 5000
/** How long a server that broke off, or tells nobody, is left alone. */
const REOPEN_MS = 1000

/** Rings when the server has something new in its log. */
export class LogBell {
  readonly #call: CommandCall
  readonly #query: LogQuery
  #url: string | undefined
  #socket: WebSocket | undefined
  #openAgainAt = 0
  #rung = false
  #wake: () => void = () => undefined

  constructor(call: CommandCall, query: LogQuery) {
    this.#call = call
    this.#query = query
  }

  /** Listens to the server at this address, if there is one and the bell does not do so already. */
  listenTo(url: string | undefined): void {
    if (url === undefined || (this.#socket !== undefined && url === this.#url)) return
    if (url === this.#url && performance.now() < this.#openAgainAt) return
    this.#url = url
    this.#openAgainAt = performance.now() + REOPEN_MS
    this.#socket?.terminate()
    void this.#open(url)
  }

  /** Fulfils when there is something new, or it is time to look whether there is. */
  async ring(lookAgainMs = this.#isTold ? TOLD_MS : UNTOLD_MS): Promise<void> {
    if (!this.#rung) await this.#rest(lookAgainMs)
    this.#rung = false
  }

  /** Fulfils after a while, whatever rings. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, ms)
    })
  }

  close(): void {
    this.#socket?.terminate()
  }

  get #isTold(): boolean {
    return this.#socket?.readyState === this.#socket?.OPEN && this.#socket !== undefined
  }

  #rest(ms: number): Promise<void> {
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
    const ring = () => {
      this.#rung = true
      this.#wake()
    }
    const end = () => {
      this.#openAgainAt = performance.now() + REOPEN_MS
      if (this.#socket === socket) this.#socket = undefined
      this.#wake()
    }
    socket.on('open', ring)
    socket.on('message', ring)
    socket.on('close', end)
    // a refusal is told by the request that follows, which is refused as well
    socket.on('error', end)
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
