import { toIso } from '../../lib/clock.ts'
import type { Applied, ExecutionChange, ExecutionRow, QueueChange } from '../../store/execution-store.ts'
import { NOBODY } from '../../store/queue-store.ts'
import type { QueueLimits } from '../../store/queue-store.ts'
import type { QueuePlace } from './queue-rules.ts'
import { eventRow, workflowQueued } from '../record/execution-events.ts'

interface Entry {
  readonly limits: QueueLimits
  readonly place: QueuePlace
  /** It counts for the rate. */
  readonly starts: boolean
}

/** The place that an execution takes, and frees when it ends. It changes with its record. */
export class Places {
  /** Whether the last commit found no place: the execution waits, and runs nowhere. */
  queued = false
  readonly #limited: boolean
  #entry: Entry | undefined

  /** `limited`: the execution may have a place. */
  constructor(limited: boolean) {
    this.#limited = limited
  }

  /** Takes a place with the next commit, or waits for one. */
  enter(entry: Entry): void {
    this.#entry = entry
  }

  /** Whether a commit decides if the execution runs now. */
  get decided(): boolean {
    return this.queued || this.#entry !== undefined
  }

  /** What the next commit changes. */
  drain(row: ExecutionRow, { status = 'running', updatedAt }: ExecutionChange): QueueChange | undefined {
    const entry = this.#entry
    if (!entry) return this.#limited && status !== 'running' ? { leave: updatedAt } : undefined
    this.#entry = undefined
    const { limits, place, starts } = entry
    const { id, ownerEpoch } = row
    const ids = { executionId: id, seq: 1, timestamp: toIso(updatedAt) }
    return {
      enter: {
        limits,
        ...place,
        starts,
        since: updatedAt,
        whenFull: (reason) => ({
          id,
          update: { from: 'running', ownerEpoch, set: { ownerEpoch: NOBODY, updatedAt } },
          appends: true,
          events: [eventRow(workflowQueued(reason), ids)],
        }),
      },
    }
  }

  onCommitted(id: string, applied: Applied): void {
    this.queued = typeof applied === 'object' && applied.queued.includes(id)
  }
}
