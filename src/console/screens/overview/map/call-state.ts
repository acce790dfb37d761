import type { CallFrame } from '../../../../contract/channels.ts'

/** What a node has done since the page was opened. */
export interface NodeState {
  readonly running: number
  readonly tokens: number
  /** Message of the last call, when it failed. */
  readonly error: string | null
}

interface OpenCall {
  readonly from: string | null
  readonly to: string
}

const MAX_OPEN = 2000
const MAX_EDGES = 200
const IDLE: NodeState = { running: 0, tokens: 0, error: null }

/** The calls of the server as they happen. Bounded: of more than it can hold, it forgets the oldest. */
export class CallState {
  readonly #open = new Map<string, OpenCall>()
  readonly #nodes = new Map<string, NodeState>()
  /** Pairs of nodes that called each other, with the number of calls that run. */
  readonly #edges = new Map<
    string,
    { readonly from: string; readonly to: string; readonly running: number }
  >()

  receive({ type, data }: CallFrame): void {
    if (type === 'call:tokens') this.#change(data.node, ({ tokens }) => ({ tokens: tokens + data.tokens }))
    else if (type === 'call:start') {
      this.#open.set(data.id, data)
      this.#count(data, 1)
      const [oldest] = this.#open.keys()
      if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#end(oldest)
    } else {
      this.#end(data.id)
      this.#change(data.to, () => ({ error: data.error }))
    }
  }

  /** Forgets the calls that run, as their ends may have been missed. */
  clear(): void {
    for (const id of this.#open.keys()) this.#end(id)
  }

  node(id: string): NodeState {
    return this.#nodes.get(id) ?? IDLE
  }

  get edges(): readonly { readonly from: string; readonly to: string; readonly running: number }[] {
    return [...this.#edges.values()]
  }

  #end(id: string): void {
    const call = this.#open.get(id)
    if (!call) return
    this.#open.delete(id)
    this.#count(call, -1)
  }

  #count({ from, to }: OpenCall, by: number): void {
    this.#change(to, ({ running }) => ({ running: running + by }))
    if (from === null) return
    const key = `${from} ${to}`
    const running = (this.#edges.get(key)?.running ?? 0) + by
    this.#edges.delete(key)
    this.#edges.set(key, { from, to, running })
    const [oldest] = this.#edges.keys()
    if (this.#edges.size > MAX_EDGES && oldest !== undefined) this.#edges.delete(oldest)
  }

  #change(id: string, change: (state: NodeState) => Partial<NodeState>): void {
    const state = this.node(id)
    this.#nodes.set(id, { ...state, ...change(state) })
  }
}
