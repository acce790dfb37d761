import { toIso } from '../../lib/clock.ts'
import type { Clock } from '../../lib/clock.ts'
import { deferred } from '../../lib/async/deferred.ts'
import type { Deferred } from '../../lib/async/deferred.ts'
import { Scope } from '../../lib/async/scope.ts'
import type {
  EventRow,
  ExecutionChange,
  ExecutionRow,
  ExecutionWrite,
  StepChange,
  StepRow,
} from '../../store/execution-store.ts'
import { NEW_STEP } from '../../store/execution-store.ts'
import { RunAborted, StoreFailure } from '../run/errors.ts'
import { eventRow } from './execution-events.ts'
import type { EventDraft } from './execution-events.ts'
import type { CommitQueue, CommitSource } from './commit-queue.ts'

export interface RecordedHistory {
  readonly row: ExecutionRow
  readonly steps: readonly StepRow[]
  readonly lastSequence: number
}

/** Whether the store took what was staged, or why it can't be stored. */
export type Stored = boolean | StoreFailure

interface RecordContext {
  readonly queue: CommitQueue
  readonly clock: Clock
  /** Called after events were stored. */
  readonly onStored: () => void
  /** Called with each event when it happens. */
  readonly onEvent: (event: EventDraft) => void
}

/** One thing that happens to an execution. */
export interface Change {
  /** When it happened, in milliseconds since the epoch; now unless given. */
  readonly at?: number
  /** Columns of the execution. */
  readonly set?: Omit<ExecutionChange, 'updatedAt'>
  readonly step?: StepRow
  readonly cancelSteps?: boolean
  readonly events?: readonly EventDraft[]
}

/**
 * What a live execution knows of its record, and what of it is not stored yet. Everything staged between two
 * flushes is stored at once, and only while this process owns the execution.
 */
export class RunRecord implements CommitSource {
  readonly row: ExecutionRow
  readonly steps: Map<string, StepRow>
  /** Aborts when the run is asked to stop at its next step boundary. */
  readonly pause = new Scope()
  /** When this process began to run it, in milliseconds since the epoch. */
  readonly takenUpAt: number
  readonly #context: RecordContext
  readonly #existing: ExecutionRow | undefined
  #sequence: number
  #changedAt: number
  #closed = false
  #inserted: boolean
  #set: Omit<ExecutionChange, 'updatedAt'> = {}
  #stagedSteps = new Map<string, StepChange>()
  #stagedEvents: EventRow[] = []
  #cancelSteps = false
  #stamp = { at: Number.NaN, text: '' }
  /** Of what is staged. */
  #next: Deferred<Stored> | undefined
  /** Of what is being stored. */
  #taken: Deferred<Stored> | undefined
  #firstUpdateDone = false
  #stored: boolean
  /** Set when a change could not be stored: what comes after builds on it, and is not stored either. */
  #lost: StoreFailure | undefined

  /** `from` is what the store holds already; without it the first flush creates the execution. */
  constructor(history: RecordedHistory, context: RecordContext, from?: ExecutionRow) {
    this.row = history.row
    this.steps = new Map(history.steps.map((step) => [step.path, step]))
    this.#sequence = history.lastSequence
    this.#changedAt = this.row.updatedAt
    this.#context = context
    this.takenUpAt = context.clock.now()
    this.#existing = from
    this.#inserted = from !== undefined
    this.#stored = from !== undefined
    if (!from) for (const step of history.steps) this.#stagedSteps.set(step.path, step)
  }

  get id(): string {
    return this.row.id
  }

  /** The run has come to rest, or nothing more of it may be stored. */
  get closed(): boolean {
    return this.#closed
  }

  /** Whether the store holds the execution. */
  get stored(): boolean {
    return this.#stored
  }

  now(): number {
    return this.#context.clock.now()
  }

  stage({ at = this.now(), set, step, cancelSteps = false, events = [] }: Change): void {
    if (this.#closed) throw new RunAborted('The execution has ended')
    this.#changedAt = at
    if (set) this.#set = { ...this.#set, ...set }
    if (step) this.#stageStep(step)
    this.#cancelSteps ||= cancelSteps
    for (const draft of events) {
      this.#context.onEvent(draft)
      this.#stagedEvents.push(
        eventRow(draft, { executionId: this.id, seq: ++this.#sequence, timestamp: this.#timestamp(at) }),
      )
    }
    // stored in this turn even if nobody waits for it
    this.#enter()
  }

  #stageStep(step: StepRow): void {
    const { path } = step
    const staged = this.#stagedSteps.get(path)
    const change = stepChange(step, this.steps.get(path))
    this.#stagedSteps.set(path, staged ? { ...staged, ...change } : change)
    this.steps.set(path, step)
  }

  /** Most of what happens to an execution happens in the millisecond of something else. */
  #timestamp(at: number): string {
    if (this.#stamp.at !== at) this.#stamp = { at, text: toIso(at) }
    return this.#stamp.text
  }

  /** Stages the last change of this run; later ones are refused. */
  close(change?: Change): void {
    if (change) this.stage(change)
    this.#closed = true
  }

  /** Stores what was staged. Every run begins with it: that is how it takes the execution over. */
  commit(): Promise<Stored> {
    return this.#enter().promise
  }

  #enter(): Deferred<Stored> {
    if (!this.#next) {
      this.#next = deferred()
      if (this.#lost) this.#next.resolve(this.#lost)
      else this.#context.queue.add(this)
    }
    return this.#next
  }

  onCommitted(applied: boolean): void {
    this.#stored ||= applied
    if (applied) this.#context.onStored()
    this.#taken?.resolve(applied)
  }

  onFailed(cause: unknown): void {
    this.#lost = new StoreFailure('The execution could not be stored', { cause })
    this.#taken?.resolve(this.#lost)
    this.#next?.resolve(this.#lost)
  }

  drain(): ExecutionWrite {
    const { id, row } = this
    const updatedAt = this.#changedAt
    const { epoch } = row
    const set = { ...this.#set, updatedAt }
    const write: ExecutionWrite = {
      id,
      ...(this.#inserted ? this.#update(set) : { insert: { ...row, ...set, epoch } }),
      steps: [...this.#stagedSteps.values()],
      events: this.#stagedEvents,
      ...(this.#cancelSteps && { cancelStepsAt: updatedAt }),
    }
    this.#inserted = true
    this.#firstUpdateDone = true
    this.#set = {}
    this.#stagedSteps = new Map()
    this.#stagedEvents = []
    this.#cancelSteps = false
    this.#taken = this.#next
    this.#next = undefined
    return write
  }

  /** The first write takes the execution over from the state it was found in; later ones from this owner. */
  #update(set: ExecutionChange): Pick<ExecutionWrite, 'update'> {
    const { epoch } = this.row
    const found = this.#existing
    if (found && !this.#firstUpdateDone) {
      return { update: { from: found.status, epoch: found.epoch, set: { ...set, epoch } } }
    }
    return { update: { from: 'running', epoch, set } }
  }
}

/** Throws when it can't be stored, or the execution is no longer this process's. */
export function requireStored(stored: Stored): void {
  if (!isStored(stored)) throw new RunAborted('The execution belongs to somebody else now')
}

/** Whether the store took it. Throws when it can't be stored. */
export function isStored(stored: Stored): boolean {
  if (stored instanceof StoreFailure) throw stored
  return stored
}

/** What is new in a step's record: large inputs are not stored again with every change. */
function stepChange(step: StepRow, before: StepRow | undefined): StepChange {
  const known: Partial<StepRow> = before ?? NEW_STEP
  const change: Record<string, unknown> = { path: step.path }
  for (const key of Object.keys(step) as (keyof StepRow)[])
    if (known[key] !== step[key]) change[key] = step[key]
  return change as StepChange
}
