import { isFinal } from '../../contract/is-final.ts'
import type { FinalStatus } from '../../contract/is-final.ts'
import { Metadata as MetadataSchema } from '../../contract/metadata.ts'
import type { Metadata } from '../../contract/metadata.ts'
import type { ExecutionStatus } from '../../contract/status.ts'
import { createDeferred } from '../../lib/async/wake-up.ts'
import type { Deferred } from '../../lib/async/wake-up.ts'
import { Scope } from '../../lib/async/scope.ts'
import { toIso } from '../../lib/clock.ts'
import type { Clock } from '../../lib/clock.ts'
import { formatIssues } from '../../lib/schema/schema.ts'
import { readIssues } from '../../lib/schema/standard-validation.ts'
import type { JobChange, ScheduledJob } from '../../store/dispatcher.ts'
import type { EventTopic } from '../../store/event-store.ts'
import type {
  EventRow,
  ExecutionChange,
  ExecutionHistory,
  ExecutionRow,
  ExecutionWrite,
  Applied,
  StepChange,
  StepRow,
} from '../../store/execution-store.ts'
import { EventWaits } from '../events/event-waits.ts'
import { Slots } from '../queue/slots.ts'
import { EndedSteps } from '../run/ended-steps.ts'
import { RunAborted, StoreFailure } from '../run/errors.ts'
import type { CommitQueue, CommitSource } from './commit-queue.ts'
import type { Commit } from './commit.ts'
import { eventRow } from './execution-events.ts'
import type { EventDraft } from './execution-events.ts'
import { hooksJob, timeOutJob } from './hooks-job.ts'
import type { RecordChange } from './outcome-change.ts'
import { stepChange } from './step-rows.ts'

import { WakeJobs } from './wake-jobs.ts'

interface RecordDeps {
  readonly queue: CommitQueue
  readonly clock: Clock
  /** Called after events were stored. */
  readonly onStored: () => void
  /** The paths of its waits for events that cancel it. */
  readonly cancels: readonly string[]
  /** Whether its workflow has limits: the end of the execution frees its place. */
  readonly limited: boolean
  /** Whether hooks are called after an end with this status. */
  readonly hasHooks: (status: FinalStatus) => boolean
  /** Called with each event when it is staged. */
  readonly onEvent: (event: EventDraft) => void
}

/** Longer waits are stored as jobs. */
export const MAX_TIMER_WAIT_MS = 5000

/**
 * The record of an execution that this process owns: its row, its steps, and the changes that are not stored
 * yet. All changes staged between two commits are stored together, under the condition that the execution is
 * still as this process last wrote (or found) it.
 */
export class DurableRecord implements CommitSource {
  readonly row: ExecutionRow
  readonly steps: Map<string, StepRow>
  readonly clock: Clock
  /** Aborts when the run is requested to stop at its next step boundary. */
  pause = new Scope()
  /** When this process started to run it, in milliseconds since the Unix epoch. */
  readonly startedHereAt: number
  /** Called when the store has refused a change: the execution has another owner or status. */
  onFenced: () => void = () => undefined
  readonly slots: Slots
  readonly #deps: RecordDeps
  /** `new` until the store has confirmed the execution; `closed` once its last change is staged. */
  #state: 'new' | 'open' | 'closed' = 'new'
  #expected: Expected
  #sequence: number
  #changedAt: number
  #set: Omit<ExecutionChange, 'updatedAt'> = {}
  #stagedSteps = new Map<string, StepChange>()
  #stagedEvents: EventRow[] = []
  readonly #endedSteps = new EndedSteps()
  #cancelSteps = false
  #metadata: string | null
  /** Few executions wait for a time. */
  #wakes: WakeJobs | undefined
  /** Few executions wait for an event. */
  #waits: EventWaits | undefined
  #jobs: JobChange[] = []
  /** The completed steps that have a compensation; not counted yet if undefined. */
  #completions: number | undefined
  /** The execution had ended before this run: only its hooks are recorded, and its events are complete. */
  readonly #ended: boolean
  /** The numbers of the staged events count from the last stored one. */
  #appends = false
  /** Stores the next changes of this record with its own, or neither. */
  #leader: DurableRecord | undefined
  /** Records whose changes are stored with the next ones of this record. */
  #followers: DurableRecord[] = []
  /** Settles when the staged changes are stored. */
  #staged: Deferred<Commit> | undefined
  /** Settles when the drained changes are stored. */
  #drained:
    | {
        readonly done: Deferred<Commit>
        readonly refusal: 'refused' | 'fenced'
        readonly followers: readonly DurableRecord[]
      }
    | undefined
  /** Set when a change was not stored: later ones build on it, and are not stored either. */
  #lost: Exclude<Commit, 'stored'> | undefined

  private constructor(history: ExecutionHistory, expected: Expected, deps: RecordDeps) {
    this.row = history.row
    this.steps = new Map(history.steps.map((step) => [step.path, step]))
    this.clock = deps.clock
    this.startedHereAt = this.now()
    this.#sequence = history.lastSequence
    this.#changedAt = this.row.updatedAt
    this.#metadata = this.row.metadata
    this.#expected = expected
    this.#deps = deps
    this.#ended = isFinal(this.row.status)
    this.slots = new Slots(deps.limited)
    this.#wakes = WakeJobs.of(this.row.id, history.steps)
    this.#waits = EventWaits.of(history.steps, deps.cancels)
  }

  /** The record of a new execution, which the first commit inserts. */
  static create(row: ExecutionRow, steps: readonly StepRow[], deps: RecordDeps): DurableRecord {
    const record = new DurableRecord({ row, steps, lastSequence: 0 }, 'absent', deps)
    for (const step of steps) record.#stagedSteps.set(step.path, step)
    return record
  }

  /** The record of a stored execution. The first commit changes its owner to `ownerEpoch`. */
  static acquire(history: ExecutionHistory, ownerEpoch: number, deps: RecordDeps): DurableRecord {
    const { status, ownerEpoch: previous } = history.row
    const row: ExecutionRow = { ...history.row, ownerEpoch }
    const expected = { status, ownerEpoch: previous, lastSequence: history.lastSequence }
    const record = new DurableRecord({ ...history, row }, expected, deps)
    record.#state = 'open'
    return record
  }

  /**
   * The record of a stored execution that another process may be changing. Its one change applies if the status is
   * still that of the row, whatever else was stored in the meantime.
   */
  static amend(
    { row, steps }: Omit<ExecutionHistory, 'lastSequence'>,
    ownerEpoch: number,
    deps: RecordDeps,
  ): DurableRecord {
    const { status } = row
    const history = { row: { ...row, ownerEpoch }, steps, lastSequence: 0 }
    const record = new DurableRecord(history, { status }, deps)
    record.#state = 'open'
    record.#appends = true
    return record
  }

  get id(): string {
    return this.row.id
  }

  /** The number of the last staged event. */
  get sequence(): number {
    return this.#sequence
  }

  /** Whether the store has the execution, with this process as its owner. */
  get owned(): boolean {
    return this.#state !== 'new'
  }

  /** Whether the last change is staged: nothing more can be. */
  get closed(): boolean {
    return this.#state === 'closed'
  }

  now(): number {
    return this.clock.now()
  }

  /** @throws RunAborted when the record is closed. */
  stage({ at = this.now(), set, step, cancelSteps = false, events = [], jobs }: RecordChange): void {
    if (this.closed) throw new RunAborted('ended', 'The execution has ended')
    this.#changedAt = at
    if (set) this.#set = { ...this.#set, ...set }
    if (step) this.#stageStep(step)
    this.#cancelSteps ||= cancelSteps
    if (jobs) this.#jobs.push(jobs)
    for (const draft of this.#ended || this.row.kind === 'answer' ? [] : events) {
      this.#deps.onEvent(draft)
      this.#stagedEvents.push(
        eventRow(draft, { executionId: this.id, seq: ++this.#sequence, timestamp: toIso(at) }),
      )
    }
    if (step) {
      this.#stageWake(step, at)
      if (step.event !== null) this.#waits = EventWaits.with(step, this.#waits)
    }
    if (set?.status === 'suspended') this.#stageChildCheck(at)
    if (cancelSteps) this.#cancelOpen(at)
    if (cancelSteps || typeof set?.endedAt === 'number') this.#dropWaits()
    if (typeof set?.endedAt === 'number') this.#dropTimeOut()
    if (typeof set?.endedAt === 'number' && this.#deps.hasHooks(set.status as FinalStatus))
      this.#jobs.push({ add: [hooksJob(this.id)] })
    // stored with the next commit even if nobody awaits it
    void this.commit()
  }

  /**
   * Adds members to its metadata with the next commit.
   *
   * @throws TypeError naming what is wrong with them
   */
  addMetadata(values: Metadata): void {
    const before = JSON.parse(this.#metadata ?? '{}') as Metadata
    const { success, data, error } = MetadataSchema.safeParse({ ...before, ...values })
    if (!success)
      throw new TypeError(
        `step.metadata(): ${formatIssues(readIssues(error.issues, values, 'zod'), 'metadata')}`,
      )
    const metadata = JSON.stringify(data)
    if (metadata === this.#metadata) return
    this.#metadata = metadata
    this.stage({ set: { metadata } })
  }

  /** Waits from the next commit on for events that cancel the execution. */
  cancelOn(topics: readonly EventTopic[]): void {
    if (topics.length > 0) this.#waits = EventWaits.cancelling(topics, this.row.createdAt, this.#waits)
  }

  /** Notes with the next commit that an event has started the execution, or cancels it. */
  take(eventId: string): void {
    this.#waits = EventWaits.taking(eventId, this.#waits)
  }

  /** The store cancels what is open in it. */
  #cancelOpen(endedAt: number): void {
    for (const [path, step] of this.steps) {
      if (step.status !== 'running' && step.status !== 'suspended') continue
      this.#cancelChild(step, endedAt)
      this.steps.set(path, { ...step, status: 'cancelled', endedAt })
    }
  }

  /** The child of a step is cancelled also if this process dies before it does that. */
  #cancelChild(step: StepRow, at: number): void {
    const job = cancelChildJob(step, at)
    if (job) this.#jobs.push({ add: [job] })
  }

  #dropTimeOut(): void {
    const job = timeOutJob(this.row)
    if (job) this.#jobs.push({ drop: [job.key] })
  }

  #dropWaits(): void {
    for (const open of [this.#wakes, this.#waits]) open?.dropAll()
  }

  /** The number of the next completed step that has a compensation. */
  nextCompletion(): number {
    this.#completions ??= Math.max(0, ...[...this.steps.values()].map(({ completion }) => completion ?? 0))
    return ++this.#completions
  }

  #stageStep(step: StepRow): void {
    const { path } = step
    const staged = this.#stagedSteps.get(path)
    const before = this.steps.get(path)
    if (before && step.status === 'cancelled') this.#cancelChild(before, this.#changedAt)
    const change = stepChange(step, before)
    if (!this.#ended) this.#endedSteps.stage(step, this)
    this.#stagedSteps.set(path, staged ? { ...staged, ...change } : change)
    this.steps.set(path, step)
  }

  /** A suspended step, and one that waits for long, is woken by a job; a wait of a few seconds has only a timer. */
  #stageWake({ path, wakeAt, status }: StepRow, at: number): void {
    const isShort = wakeAt !== null && wakeAt - at <= MAX_TIMER_WAIT_MS
    const needsJob = status === 'suspended' || (status === 'running' && !isShort)
    if (wakeAt === null || !needsJob) return this.#wakes?.drop(path)
    this.#wakes ??= new WakeJobs(this.id)
    this.#wakes.add(path, { at: wakeAt, sequence: this.#sequence })
  }

  #stageChildCheck(at: number): void {
    if (this.pause.reason) return
    for (const { path, status, childId, wakeAt } of this.steps.values()) {
      if (status !== 'suspended' || childId === null || wakeAt !== null) continue
      this.#wakes ??= new WakeJobs(this.id)
      return this.#wakes.checkChild(path, { at, sequence: this.#sequence })
    }
  }

  /** Stages the last change of this run; later ones are refused. */
  close(change?: RecordChange): void {
    if (change) this.stage(change)
    this.#state = 'closed'
  }

  /** Stores the staged changes. Every run begins with a commit: it makes this process the owner. */
  commit(): Promise<Commit> {
    if (!this.#staged) {
      this.#staged = createDeferred()
      if (this.#lost) this.#staged.resolve(this.#lost)
      else if (this.#leader) this.#leader.#follow(this)
      else this.#deps.queue.add(this)
    }
    return this.#staged.promise
  }

  /** The next changes are stored together with those of another record, or not at all. */
  storeWith(leader: DurableRecord): void {
    this.#leader = leader
  }

  #follow(follower: DurableRecord): void {
    if (this.#lost) return follower.#lose(this.#lost)
    this.#followers.push(follower)
    void this.commit()
  }

  drain(): ExecutionWrite {
    const { id, row } = this
    const updatedAt = this.#changedAt
    const set = { ...this.#set, updatedAt }
    const jobs = this.#drainJobs()
    const queue = this.slots.drain(row, set)
    const waits = this.#waits?.drain()
    const isNew = this.#expected === 'absent'
    const hasBegun = this.#stagedEvents.length > 0 && this.slots.takeBegun()
    const { length: following } = this.#followers
    // all members at once: in V8, each one that is spread in on a condition costs as much as all of these
    const write: ExecutionWrite = {
      id,
      insert: isNew ? { ...row, ...set } : undefined,
      update: this.#expected === 'absent' ? undefined : conditionalChange(row, this.#expected, set),
      steps: [...this.#stagedSteps.values()],
      events: this.#stagedEvents,
      stepTimes: this.#endedSteps.drain(),
      appends: this.#appends,
      uncounted: row.kind === 'answer' ? true : undefined,
      cancelStepsAt: this.#cancelSteps ? updatedAt : undefined,
      jobs,
      queue,
      waits,
      milestone: hasBegun ? true : undefined,
      together: following > 0 ? this.#followers.map((follower) => follower.drain()) : undefined,
    }
    const refusal = isNew ? 'refused' : 'fenced'
    this.#drained = { done: this.#staged ?? createDeferred(), refusal, followers: this.#followers }
    this.#leader = undefined
    this.#followers = []
    this.#staged = undefined
    // a run continues what was suspended, and records the hooks of what has ended
    this.#expected = { status: this.#ended ? row.status : 'running', ownerEpoch: row.ownerEpoch }
    this.#set = {}
    this.#stagedSteps = new Map()
    this.#stagedEvents = []
    this.#cancelSteps = false
    return write
  }

  #drainJobs(): JobChange | undefined {
    const wakes = this.#wakes?.drain()
    if (this.#jobs.length === 0) return wakes
    const changes = [...(wakes ? [wakes] : []), ...this.#jobs]
    this.#jobs = []
    return {
      add: changes.flatMap(({ add = [] }) => add),
      drop: changes.flatMap(({ drop = [] }) => drop),
    }
  }

  onCommitted(applied: Applied): void {
    for (const follower of this.#drained?.followers ?? []) follower.onCommitted(applied)
    this.slots.onCommitted(this.id, applied)
    if (applied === 'full') return this.#lose(applied)
    if (applied === false) return this.#lose(this.#drained?.refusal ?? 'fenced')
    if (this.#state === 'new') this.#state = 'open'
    this.#deps.onStored()
    this.#drained?.done.resolve('stored')
  }

  onFailed(cause: unknown): void {
    for (const follower of this.#drained?.followers ?? []) follower.onFailed(cause)
    this.#lose(new StoreFailure(cause))
  }

  #lose(reason: Exclude<Commit, 'stored'>): void {
    this.#lost = reason
    this.#drained?.done.resolve(reason)
    this.#staged?.resolve(reason)
    for (const follower of this.#followers) follower.#lose(reason)
    if (reason === 'fenced') this.onFenced()
  }
}

/** Long after the process has cancelled it itself. */
const CANCEL_CHILD_MS = 5000

/**
 * The stored job that cancels the child of a step which is cancelled `at` a time, if this process dies before it has;
 * `undefined` when the step is not open, or has no child.
 */
function cancelChildJob(
  { status, childId }: Pick<StepRow, 'status' | 'childId'>,
  at: number,
): ScheduledJob | undefined {
  if (childId === null || (status !== 'running' && status !== 'suspended')) return undefined
  return {
    key: `cancel-child:${childId}`,
    at: at + CANCEL_CHILD_MS,
    job: { kind: 'cancel-child', id: childId },
  }
}

/** What the store must hold for the next write to apply: the compare of compare-and-set. */
type Expected =
  | 'absent'
  | {
      readonly status: ExecutionStatus
      /** Any, if absent. */
      readonly ownerEpoch?: number
      /** Only where another call may have changed the execution since it was read. */
      readonly lastSequence?: number
    }

/** Changes an execution, if the store holds what is expected. */
function conditionalChange(
  row: ExecutionRow,
  { status: from, ownerEpoch, lastSequence }: Exclude<Expected, 'absent'>,
  set: ExecutionChange,
): ExecutionWrite['update'] {
  const isOwner = ownerEpoch === row.ownerEpoch
  return { from, ownerEpoch, lastSequence, set: isOwner ? set : { ...set, ownerEpoch: row.ownerEpoch } }
}
