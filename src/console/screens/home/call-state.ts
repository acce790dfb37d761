import type { CallFrame, CallStart } from '../../../contract/channels.ts'
import type { MapEdge } from './map-nodes.ts'

/** What a node has done since the page was opened. */
export interface NodeState {
  readonly running: number
  readonly tokens: number
  /** Message of the last call, when it failed. */
  readonly error: string | null
  /** The page of a run that is in the node. */
  readonly run: string | undefined
}

export interface LiveEdge extends MapEdge {
  /** The calls that run. */
  readonly running: number
}

/** A run on its way to a node. */
export interface MovingRun {
  readonly id: string
  /** Null for one from outside. */
  readonly from: string | null
  readonly to: string
  readonly page: string
}

const MAX_OPEN = 2000
const MAX_EDGES = 200
const MAX_MOVING = 40

const IDLE: NodeState = { running: 0, tokens: 0, error: null, run: undefined }

/** The calls of the server as they happen. Bounded: of more than it can hold, it forgets the oldest. */
export class CallState {
  readonly #open = new Map<string, CallStart>()
  readonly #nodes = new Map<string, NodeState>()
  /** Pairs of nodes that called each other, with the number of calls that run. */
  readonly #edges = new Map<string, LiveEdge>()
  readonly #moving = new Map<string, MovingRun>()

  receive({ type, data }: CallFrame): void {
    if (type === 'call:tokens') this.#change(data.node, ({ tokens }) => ({ tokens: tokens + data.tokens }))
    else if (type === 'call:start') this.#start(data)
    else {
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

  get edges(): readonly LiveEdge[] {
    return [...this.#edges.values()]
  }

  get moving(): readonly MovingRun[] {
    return [...this.#moving.values()]
  }

  /** Forgets a run that has reached its node. */
  arrive(id: string): void {
    this.#moving.delete(id)
  }

  #start(call: CallStart): void {
    const { id, from, to } = call
    this.#open.set(id, call)
    this.#count(call, 1)
    this.#change(to, () => ({ run: pageOf(call) }))
    this.#moving.set(id, { id, from, to, page: pageOf(call) })
    const [first] = this.#moving.keys()
    if (this.#moving.size > MAX_MOVING && first !== undefined) this.arrive(first)
    const [oldest] = this.#open.keys()
    if (this.#open.size > MAX_OPEN && oldest !== undefined) this.#end(oldest)
  }

  #end(id: string): void {
    const call = this.#open.get(id)
    if (!call) return
    this.#open.delete(id)
    this.#count(call, -1)
    const { run, running } = this.node(call.to)
    if (running === 0 || run !== pageOf(call)) return
    const other = [...this.#open.values()].findLast(({ to }) => to === call.to)
    this.#change(call.to, () => ({ run: pageOf(other ?? call) }))
  }

  #count({ from, to }: CallStart, by: number): void {
    this.#change(to, ({ running }) => ({ running: running + by }))
    if (from === null) return
    const key = `${from} ${to}`
    // 0: it was forgotten while a call was running
    const running = Math.max(0, (this.#edges.get(key)?.running ?? 0) + by)
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

function pageOf({ executionId, traceId }: CallStart): string {
  return executionId === undefined ? `traces/${traceId}` : `executions/${encodeURIComponent(executionId)}`
}
