import type { ExecutionRecord } from '../../contract/endpoints/execution.ts'
import type { EventHub } from '../../lib/async/event-hub.ts'
import { LiveQueue } from '../../lib/async/live-queue.ts'
import type { LiveItem } from '../../lib/async/live-queue.ts'
import type { EventRow, ExecutionStore } from '../../store/execution-store.ts'
import { ANY_EXECUTION } from '../../store/remote-changes.ts'
import type { Store } from '../../store/store.ts'
import { recordPartsOf } from '../record-parts.ts'
import { executionSnapshot } from '../record/execution-snapshot.ts'
import { decodeStored } from '../record/values.ts'

/** The page that is read from the store at a time. */
const PAGE = { limit: 200, chars: 256 * 1024 } as const

/** An execution that was created or changed its status, as lists showed it at that time. */
export interface ExecutionUpdate {
  /** Counted over all executions from 1. The numbers of deleted executions are missing. */
  readonly number: number
  readonly kind: 'created' | 'updated'
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly record: ExecutionRecord
}

/** An event of an execution. */
export interface FeedEvent {
  readonly seq: number
  readonly type: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The event as JSON text, as streams send it. */
  readonly data: string
}

/** The changes of executions for live readers: from any point on, with notification of new ones. */
export class ExecutionFeed {
  readonly #store: ExecutionStore
  readonly #others: Pick<Store, 'queue' | 'agentRuns'>
  readonly #hub: EventHub
  readonly #live: EventHub<LiveItem>

  constructor(
    store: Pick<Store, 'executions' | 'queue' | 'agentRuns'>,
    hub: EventHub,
    live: EventHub<LiveItem>,
  ) {
    this.#live = live
    this.#store = store.executions
    this.#others = store
    this.#hub = hub
  }

  /** A page of the updates after a number, in order; empty when there are no more. */
  async updates(after: number): Promise<ExecutionUpdate[]> {
    const milestones = await this.#store.milestones({ after, ...PAGE })
    const partsOf = await recordPartsOf(
      this.#others,
      milestones.map(({ execution }) => execution),
    )
    return milestones.map((milestone) => {
      const { at, record } = executionSnapshot(milestone, partsOf(milestone.execution.id))
      return { number: milestone.number, kind: milestone.isFirst ? 'created' : 'updated', at, record }
    })
  }

  /** The number of the newest update; 0 before the first. */
  newestUpdate(): Promise<number> {
    return this.#store.newestMilestone()
  }

  /** Calls `listener` when there may be new updates, until the returned function is called. */
  onUpdates(listener: () => void): () => void {
    return this.#hub.subscribe(ANY_EXECUTION, listener)
  }

  /** A page of an execution's events after a sequence number, in order; empty when there are no more. */
  async events(id: string, after: number): Promise<FeedEvent[]> {
    const rows = await this.#store.events(id, { after, ...PAGE })
    return rows.map((row) => toFeedEvent(row))
  }

  /** The sequence number of an execution's newest event; 0 for an unknown execution. */
  lastEvent(id: string): Promise<number> {
    return this.#store.lastSequence(id)
  }

  /** What happens in an execution and is not stored, from now on. `onMore` is called when there is more. */
  live(id: string, onMore: () => void): LiveQueue {
    return new LiveQueue(this.#live, id, onMore)
  }

  /** Calls `listener` when an execution has new events, until the returned function is called. */
  onEvents(id: string, listener: () => void): () => void {
    return this.#hub.subscribe(id, listener)
  }
}

/** A damaged event is returned as `unreadable`, so that it does not hide later ones. */
function toFeedEvent({ seq, data }: EventRow): FeedEvent {
  const event = decodeStored<{ type?: string; timestamp?: string } | null>(data, null)
  if (!event) return { seq, type: 'unreadable', at: 0, data: 'null' }
  return { seq, type: event.type ?? '', at: Date.parse(event.timestamp ?? ''), data }
}
