import type { OmittedValue } from '../contract/status.ts'
import type { ExecutionStatus, StepStatus, StepType } from '../contract/status.ts'
import type { Suspicion } from './crash.ts'
import type { JobChange } from './dispatcher.ts'
import type { QueueLimits, WaitReason } from './queue-store.ts'
import type { WaitChange } from './event-store.ts'
import type { Page } from './page.ts'
import type { SearchFilter } from './search/search-store.ts'
import type { Retention } from './retention.ts'
import type { StepTime } from './usage-store.ts'

export interface ExecutionStore {
  /**
   * Applies the writes in order, in one transaction. Returns for each whether it was applied: a write whose condition
   * fails (id taken, another status, another owner) changes nothing. Throws or rejects when the transaction can't be
   * committed; nothing is stored then. A database in this process has stored them when it returns.
   */
  write(writes: readonly ExecutionWrite[]): readonly Applied[] | Promise<readonly Applied[]>
  get(id: string): Promise<ExecutionRow | undefined>
  /** The facts that access to an execution depends on. */
  ownership(id: string): Promise<OwnershipRow | undefined>
  /** The row, the steps and the number of the last event, read in one snapshot. */
  history(id: string): Promise<ExecutionHistory | undefined>
  /** Newest first, each with its workflow-level events, without values above MAX_LISTED_BYTES. */
  list(filter: ExecutionFilter, page: Page): Promise<readonly ListedExecution[]>
  /** The same executions with all values and their steps, each read in one snapshot. */
  histories(filter: ExecutionFilter, page: Page): Promise<readonly ExecutionHistory[]>
  /** The same executions, without what they have recorded. */
  heads(filter: ExecutionFilter, page: Page): Promise<readonly ExecutionHead[]>
  count(filter: ExecutionFilter): Promise<number>
  /** In the order of their start. */
  steps(id: string): Promise<readonly StepRow[]>
  /** Events after a sequence number, in order. */
  events(id: string, range: EventRange): Promise<readonly EventRow[]>
  /** All workflow-level events, in order. */
  workflowEvents(id: string): Promise<readonly EventRow[]>
  lastSequence(id: string): Promise<number>
  /** Milestones after a number, in order, without those of deleted executions. */
  milestones(range: EventRange): Promise<readonly Milestone[]>
  /** The highest milestone number so far, including deleted ones; 0 before the first. */
  newestMilestone(): Promise<number>
  /** Ids of the children of an execution that have not ended. */
  openChildren(id: string): Promise<readonly string[]>
  /** Deletes up to `limit` ended executions that retention does not cover. Returns the number of deleted ones. */
  prune(retention: Retention, limit: number): Promise<number>
}

/** Whether a write was applied. `queued`: it was, and these of its executions wait for a slot. */
export type Applied = boolean | 'full' | { readonly queued: readonly string[] }

export interface ExecutionRow {
  readonly id: string
  /** Of an `answer`, the history of its agent has the record: lists of executions, counts and the search leave it out. */
  readonly kind: 'workflow' | 'answer'
  readonly workflowId: string
  readonly workflowName: string
  readonly status: ExecutionStatus
  readonly ownerEpoch: number
  readonly createdAt: number
  readonly updatedAt: number
  /** Set if and only if the status is final. */
  readonly endedAt: number | null
  readonly userId: string | null
  readonly conversationId: string | null
  readonly parentId: string | null
  /** The authenticated user who started it. */
  readonly user: string | null
  readonly definitionHash: string
  readonly traceId: string
  readonly spanId: string
  readonly input: string
  readonly context: string
  readonly output: string | null
  readonly error: string | null
  readonly suspension: string | null
  /** A suspend request that takes effect at the next step boundary. */
  readonly suspendRequest: string | null
  readonly forkedFrom: string | null
  /** The key of the authenticated user whom it belongs to; see `userKey`. */
  readonly owner: string | null
  /** The authenticated user who last resumed it, as JSON. */
  readonly resumedUser: string | null
  /** The ids of the steps before which it suspends, as a JSON array. */
  readonly pauseAt: string | null
  /** What it is found by, as JSON of texts, numbers and booleans; null for nothing. */
  readonly metadata: string | null
  /** JSON of why its steps are compensated, or, once it has ended, of how that has ended; null: they are not. */
  readonly compensation: string | null
  /** JSON of who has accepted that it runs on with code which its record does not fit, and when; null: nobody. */
  readonly acceptedChanges: string | null
  /** When it ends with a `WorkflowTimeoutError`; null: never. */
  readonly timesOutAt: number | null
  /** The id of the group of failures that it belongs to, or that the execution belongs to which it replays. */
  readonly failure: string | null
  /** The id of the schedule that started it. */
  readonly scheduleId: string | null
}

export type ExecutionHead = Pick<ExecutionRow, 'id' | 'status' | 'createdAt'>

export type OwnershipRow = Pick<ExecutionRow, 'id' | 'workflowId' | 'parentId' | 'owner'>

/** The state of an execution that a run continues from. */
export interface ExecutionHistory {
  readonly row: ExecutionRow
  /** In the order of their start. */
  readonly steps: readonly StepRow[]
  /** Sequence number of the last event; 0 before the first. */
  readonly lastSequence: number
}

export interface ExecutionWithEvents extends ExecutionRow {
  readonly events: readonly EventRow[]
}

export interface ListedExecution extends ExecutionWithEvents {
  /** The values that were left out, as they are too large for a list. `events`: some of them. */
  readonly omitted: readonly OmittedValue[]
}

export interface StepRow extends Suspicion {
  /** Step ids from the outermost step, joined by `/`. */
  readonly path: string
  readonly stepId: string
  readonly name: string
  readonly type: StepType
  readonly position: number
  readonly status: StepStatus
  readonly input: string
  readonly output: string | null
  readonly error: string | null
  readonly attempts: number
  /** Attempts since the last resume that failed. Attempts that ended with the process do not count. */
  readonly failures: number
  /** Number of times that the step was resumed. */
  readonly resumes: number
  readonly suspendData: string | null
  readonly resumeData: string | null
  /** It was continued because its time was over, and not by a resume. */
  readonly timedOut: boolean
  /** The process may end during the current attempt without this being a crash of the step. */
  readonly exempt: boolean
  /** Time of the next attempt, or at which a suspended step continues by itself. */
  readonly wakeAt: number | null
  readonly startedAt: number
  readonly endedAt: number | null
  readonly childId: string | null
  /** The items that a function chose, as JSON text of an array; null when they are the input. */
  readonly items: string | null
  /** The name of the event that the step waits for, or has waited for. */
  readonly event: string | null
  /** The key that the event must have; null: none. */
  readonly eventKey: string | null
  /** The id of the event that the step has taken. */
  readonly eventId: string | null
  /** The number of its completion among those of the execution that have a compensation, from 1; null for all others. */
  readonly completion: number | null
  /** It is a call that an agent's answer makes: of its model, or of a tool. */
  readonly isAnswerCall: boolean
}

/** Initial values of a step row. */
export const NEW_STEP = {
  output: null,
  error: null,
  attempts: 0,
  failures: 0,
  resumes: 0,
  crashes: 0,
  suspected: 0,
  trial: null,
  exempt: false,
  suspendData: null,
  resumeData: null,
  timedOut: false,
  wakeAt: null,
  endedAt: null,
  childId: null,
  items: null,
  event: null,
  eventKey: null,
  eventId: null,
  completion: null,
  isAnswerCall: false,
} as const satisfies Partial<StepRow>

/** Changed columns of a step row. The first change of a step has all columns that `NEW_STEP` lacks. */
export type StepChange = Partial<StepRow> & Pick<StepRow, 'path'>

export interface EventRow {
  readonly seq: number
  /** The event as JSON text on one line, as streams send it. Its first member is `type`. */
  readonly data: string
  /** The last member of `data`, when it is large, and may be what the execution or one of its steps has. Not set on what is read. */
  readonly value?: EventValue | undefined
}

/** Shorter values are stored with each event and step that has them. */
export const MIN_LARGE_CHARS = 256

export interface EventValue {
  readonly member: string
  /** JSON text. */
  readonly text: string
}

const WORKFLOW_LEVEL = /^\{"type":"workflow-(?!result")/

/** Whether an event is listed with its execution: those of type `workflow-*`, except `workflow-result`. */
export function isWorkflowLevel({ data }: EventRow): boolean {
  return WORKFLOW_LEVEL.test(data)
}

/**
 * A commit with workflow-level events, which changes an execution in lists. Milestones of all executions are numbered
 * from 1 in the order of their commits, without gaps.
 */
export interface Milestone {
  readonly number: number
  /** Whether it is the first, and the latest, milestone of its execution. */
  readonly isFirst: boolean
  readonly isLast: boolean
  /** The current row of the execution, with its workflow-level events up to this milestone. */
  readonly execution: ExecutionWithEvents
}

/** Changed columns of an execution. */
export interface ExecutionChange extends Partial<
  Pick<
    ExecutionRow,
    | 'status'
    | 'ownerEpoch'
    | 'endedAt'
    | 'output'
    | 'error'
    | 'suspension'
    | 'suspendRequest'
    | 'resumedUser'
    | 'pauseAt'
    | 'metadata'
    | 'compensation'
    | 'acceptedChanges'
    | 'failure'
  >
> {
  readonly updatedAt: number
}

/** One atomic change of one execution. */
export interface ExecutionWrite {
  readonly id: string
  /** Creates the execution. Not applied if the id is taken. */
  readonly insert?: ExecutionRow | undefined
  /** Changes the execution. Not applied if its status, or a given owner epoch or last sequence number, differs. */
  readonly update?:
    | {
        readonly from: ExecutionStatus
        readonly ownerEpoch?: number | undefined
        readonly lastSequence?: number | undefined
        readonly set: ExecutionChange
      }
    | undefined
  /** Changes of step rows, which are found by path. */
  readonly steps?: readonly StepChange[]
  /** Marks running and suspended steps as cancelled at this time. */
  readonly cancelStepsAt?: number | undefined
  /** New events with consecutive sequence numbers. */
  readonly events?: readonly EventRow[]
  /**
   * The sequence numbers of the events count from the last stored one: 1 is the next. For a change of an execution that
   * another process may be changing at the same time.
   */
  readonly appends?: boolean | undefined
  /** Changes of other executions, and new ones. They and this write are applied if the conditions of all of them hold. */
  readonly together?: readonly ExecutionWrite[] | undefined
  /** Jobs that are stored and dropped if the write is applied. */
  readonly jobs?: JobChange | undefined
  /** Of an execution with limits: takes or frees its place if the write is applied. */
  readonly queue?: QueueChange | undefined
  /** Waits for events that begin and end if the write is applied. */
  readonly waits?: WaitChange | undefined
  /** Steps that have ended, which are counted if the write is applied. */
  readonly stepTimes?: readonly StepTime[]
  /** It is no execution of a workflow: the statistics leave it out. */
  readonly uncounted?: true | undefined
  /** Lists show the execution differently after this write, whatever its events are. */
  readonly milestone?: true | undefined
}

/** An execution that takes a place, or waits for one. */
export interface QueueEntry {
  readonly limits: QueueLimits
  /** `''` where the limit has no key. */
  readonly concurrencyKey: string
  readonly rateKey: string
  /** Higher ones are first. */
  readonly priority: number
  readonly since: number
  /** Whether it counts as a start; one that continues does not. */
  readonly starts: boolean
  /** The execution is refused when it would have to wait and this many wait already. Default: no maximum. */
  readonly maxWaiting?: number
  /** Applied in the same transaction when there is no slot: the execution waits. */
  readonly whenFull: (reason: WaitReason) => ExecutionWrite
}

/**
 * `leave`: the place, or the wait for one, ends at this time, because the execution ends or is suspended. `begin`: the
 * execution that has waited begins at this time, which counts as its start.
 */
export type QueueChange =
  | { readonly enter: QueueEntry }
  | { readonly leave: number; readonly isFinal: boolean }
  | { readonly begin: number }

export interface ExecutionFilter {
  /** Answers of agents. Default: executions of workflows. */
  readonly kind?: 'answer' | undefined
  readonly id?: string | undefined
  readonly workflowId?: string | undefined
  readonly status?: ExecutionStatus | undefined
  /** `null` selects those without a user. */
  readonly userId?: string | null | undefined
  readonly conversationId?: string | undefined
  readonly parentExecutionId?: string | undefined
  /** Id of the execution that is replayed. */
  readonly forkedFrom?: string | undefined
  /** The id of a group of failures: only those that it has, and their replays. */
  readonly failure?: string | undefined
  readonly scheduleId?: string | undefined
  /** The key of a user: only executions that belong to this user or to nobody. Empty: only the latter. */
  readonly openTo?: string | undefined
  /** Only those that wait for somebody, without children of other executions, and answers that wait for approvals. */
  readonly needsInput?: true | undefined
  /** Only those that wait for a time or an event. */
  readonly sleeps?: true | undefined
  /** Only those that wait because their record does not fit the code, and the parents that wait for them. */
  readonly changedCode?: true | undefined
  /** Only those that the full-text index finds. */
  readonly search?: Pick<SearchFilter, 'terms' | 'facets'> | undefined
  /** Members of the metadata, with their values as text. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** Creation time, exclusive. */
  readonly from?: number | undefined
  /** Creation time, exclusive. */
  readonly to?: number | undefined
}

export interface EventRange {
  readonly after: number
  readonly limit: number
  /** Maximum number of characters of data. At least one event is returned. */
  readonly chars?: number
}
