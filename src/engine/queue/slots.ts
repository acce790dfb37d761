import { toIso } from '../../lib/clock.ts'
import { isFinal } from '../../contract/is-final.ts'
import type { Applied, ExecutionChange, ExecutionRow, QueueChange } from '../../store/execution-store.ts'
import { NOBODY } from '../../store/queue-store.ts'
import type { QueueLimits } from '../../store/queue-store.ts'
import type { QueueSlot } from './queue-rules.ts'
import type { RegisteredWorkflow } from '../registry.ts'
import { eventRow, workflowQueued } from '../record/execution-events.ts'

interface Entry {
  readonly limits: QueueLimits
  readonly slot: QueueSlot
  /** It counts for the rate. */
  readonly starts: boolean
  /** It is refused when it would have to wait and this many executions wait already. */
  readonly maxWaiting?: number
}

/** A new execution. */
interface Newcomer {
  readonly workflow: RegisteredWorkflow
  readonly slot?: QueueSlot | undefined
  readonly parentId?: string
}

/** The slot that an execution takes, and frees when it ends. It changes with its record. */
export class Slots {
  /** Whether the last commit found no slot: the execution waits, and runs nowhere. */
  queued = false
  readonly #limited: boolean
  #entry: Entry | undefined
  #beginsAt: number | undefined
  #begun = false

  /** `limited`: the execution may have a slot. */
  constructor(limited: boolean) {
    this.#limited = limited
  }

  /** A new execution takes a slot with its first commit, or waits for one. A child is never refused. */
  start({ workflow, slot, parentId }: Newcomer, maxWaiting: number): void {
    const limits = workflow.queue?.limits
    if (limits && slot) this.enter({ limits, slot, starts: true, ...(!parentId && { maxWaiting }) })
  }

  /** Takes a slot with the next commit, or waits for one. */
  enter(entry: Entry): void {
    this.#entry = entry
  }

  /** The execution has waited, and begins with the next commit: its start counts from this time. */
  begin(at: number): void {
    this.#beginsAt = at
    this.#begun = true
  }

  /** Whether the execution has begun after it had waited; `true` once. */
  takeBegun(): boolean {
    const begun = this.#begun
    this.#begun = false
    return begun
  }

  /** Whether a commit decides if the execution runs now. */
  get decided(): boolean {
    return this.queued || this.#entry !== undefined
  }

  /** What the next commit changes. */
  drain(row: ExecutionRow, { status = 'running', updatedAt }: ExecutionChange): QueueChange | undefined {
    const entry = this.#entry
    if (entry) {
      this.#entry = undefined
      return { enter: entryOf(row, entry, updatedAt) }
    }
    if (this.#limited && status !== 'running') return { leave: updatedAt, isFinal: isFinal(status) }
    const begin = this.#beginsAt
    this.#beginsAt = undefined
    return begin === undefined ? undefined : { begin }
  }

  onCommitted(id: string, applied: Applied): void {
    this.queued = typeof applied === 'object' && applied.queued.includes(id)
  }
}

function entryOf({ id, ownerEpoch }: ExecutionRow, { slot, ...entry }: Entry, at: number) {
  const ids = { executionId: id, seq: 1, timestamp: toIso(at) }
  return {
    ...entry,
    ...slot,
    since: at,
    whenFull: (reason: string) => ({
      id,
      update: { from: 'running' as const, ownerEpoch, set: { ownerEpoch: NOBODY, updatedAt: at } },
      appends: true as const,
      events: [eventRow(workflowQueued(reason), ids)],
    }),
  }
}
