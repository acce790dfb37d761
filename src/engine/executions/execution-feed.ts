import type { ExecutionRecord } from '../../contract/endpoints/execution.ts'
import type { EventHub } from '../../lib/async/event-hub.ts'
import type { EventRow, ExecutionStore } from '../../store/execution-store.ts'
import { executionSnapshot } from '../record/execution-snapshot.ts'
import { decodeStored } from '../record/values.ts'

/** The hub's topic for whatever execution it is; no id is spelled like that. */
export const ANY_EXECUTION = '*'

/** What is read from the store at a time. */
const PAGE = { limit: 200, chars: 256 * 1024 } as const

/** An execution that was created, or whose status changed, as lists showed it then. */
export interface ExecutionNews {
  /** Counted over all executions, from 1; only numbers of deleted executions are missing. */
  readonly number: number
  readonly kind: 'created' | 'updated'
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly record: ExecutionRecord
}

/** An event of an execution. */
export interface ExecutionNote {
  readonly seq: number
  readonly type: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The event as JSON text, as streams send it. */
  readonly data: string
}

/** What happens to executions, for whoever watches: what was stored, from any point on, and word of more. */
export class ExecutionFeed {
  readonly #store: ExecutionStore
  readonly #hub: EventHub

  constructor(store: ExecutionStore, hub: EventHub) {
    this.#store = store
    this.#hub = hub
  }

  /** Some of the news after a number, in order; none when there are no more. */
  async news(after: number): Promise<ExecutionNews[]> {
    const milestones = await this.#store.milestones({ after, ...PAGE })
    return milestones.map((milestone) => {
      const { at, record } = executionSnapshot(milestone)
      return { number: milestone.number, kind: milestone.isFirst ? 'created' : 'updated', at, record }
    })
  }

  /** The number of the newest news; 0 before the first. */
  newestNews(): Promise<number> {
    return this.#store.newestMilestone()
  }

  /** Calls `listener` when there may be more news, until the returned function is called. */
  onNews(listener: () => void): () => void {
    return this.#hub.subscribe(ANY_EXECUTION, listener)
  }

  /** Some of an execution's events after a sequence number, in order; none when there are no more. */
  async events(id: string, after: number): Promise<ExecutionNote[]> {
    const rows = await this.#store.events(id, { after, ...PAGE })
    return rows.map((row) => noteOf(row))
  }

  /** The sequence number of an execution's newest event; 0 for one that is not there. */
  lastEvent(id: string): Promise<number> {
    return this.#store.lastSequence(id)
  }

  /** Calls `listener` when there are more events of an execution, until the returned function is called. */
  onEvents(id: string, listener: () => void): () => void {
    return this.#hub.subscribe(id, listener)
  }
}

/** A damaged event must not hide those that come after it. */
function noteOf({ seq, data }: EventRow): ExecutionNote {
  const event = decodeStored<{ type?: string; timestamp?: string } | null>(data, null)
  if (!event) return { seq, type: 'unreadable', at: 0, data: 'null' }
  return { seq, type: event.type ?? '', at: Date.parse(event.timestamp ?? ''), data }
}
