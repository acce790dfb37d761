import type { ExecutionStatus, StepStatus, StepType } from '../contract/status.ts'
import type { Page } from './page.ts'
import type { Retention } from './retention.ts'

export interface ExecutionStore {
  /**
   * Applies the writes in order, in one transaction. The answer says for each whether it took effect: it does
   * not when its condition fails (id taken, another status, a later epoch), and then leaves no trace.
   * Rejects, with nothing stored, when the transaction can't be committed.
   */
  write(writes: readonly ExecutionWrite[]): Promise<readonly boolean[]>
  get(id: string): Promise<ExecutionRow | undefined>
  /** The row, the steps and the number of the last event, all as of one moment. */
  history(id: string): Promise<ExecutionHistory | undefined>
  /** Newest first, each with its workflow-level events. */
  list(filter: ExecutionFilter, page: Page): Promise<readonly ListedExecution[]>
  count(filter: ExecutionFilter): Promise<number>
  /** In the order in which they started. */
  steps(id: string): Promise<readonly StepRow[]>
  /** Events after a sequence number, in order. */
  events(id: string, range: EventRange): Promise<readonly EventRow[]>
  lastSequence(id: string): Promise<number>
  /** Milestones after a number, in order. Those of deleted executions are left out. */
  milestones(range: EventRange): Promise<readonly Milestone[]>
  /** The number of the newest milestone there ever was; 0 before the first. */
  newestMilestone(): Promise<number>
  /** Running executions that an earlier owner left, oldest first. */
  orphaned(): Promise<readonly string[]>
  /** Children of an execution that have not ended. */
  openChildren(id: string): Promise<readonly string[]>
  /** Deletes up to `limit` ended executions that retention no longer covers; how many were deleted. */
  prune(retention: Retention, limit: number): Promise<number>
}

export interface ExecutionRow {
  readonly id: string
  readonly workflowId: string
  readonly workflowName: string
  readonly status: ExecutionStatus
  readonly ownerEpoch: number
  readonly createdAt: number
  readonly updatedAt: number
  /** Set when, and only when, the status is final. */
  readonly endedAt: number | null
  readonly userId: string | null
  readonly conversationId: string | null
  readonly parentId: string | null
  /** The authenticated user it was started by. */
  readonly user: string | null
  readonly definitionHash: string
  readonly traceId: string
  readonly spanId: string
  readonly input: string
  readonly context: string
  readonly output: string | null
  readonly error: string | null
  readonly suspension: string | null
  /** A suspension asked for from outside that no step boundary has met yet. */
  readonly suspendRequest: string | null
  readonly forkedFrom: string | null
}

/** Everything a run needs to know of an execution. */
export interface ExecutionHistory {
  readonly row: ExecutionRow
  /** In the order in which they started. */
  readonly steps: readonly StepRow[]
  /** Sequence number of the last event; 0 before the first. */
  readonly lastSequence: number
}

export interface ListedExecution extends ExecutionRow {
  readonly events: readonly EventRow[]
}

export interface StepRow {
  /** Ids from the outermost step, joined by `/`. */
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
  /** Attempts of this iteration that failed, as opposed to those cut short by a crash. */
  readonly failures: number
  /** How often the step was resumed. */
  readonly resumes: number
  readonly suspendData: string | null
  readonly resumeData: string | null
  /** When the next attempt is due. */
  readonly wakeAt: number | null
  readonly startedAt: number
  readonly endedAt: number | null
  readonly childId: string | null
}

/** What a step's record begins with. */
export const NEW_STEP = {
  output: null,
  error: null,
  attempts: 0,
  failures: 0,
  resumes: 0,
  suspendData: null,
  resumeData: null,
  wakeAt: null,
  endedAt: null,
  childId: null,
} as const satisfies Partial<StepRow>

/** The changed part of a step's record. The first one has all that `NEW_STEP` does not give. */
export type StepChange = Partial<StepRow> & Pick<StepRow, 'path'>

export interface EventRow {
  readonly seq: number
  /** The event as JSON text on one line, as streams send it. Its first member is `type`. */
  readonly data: string
}

const WORKFLOW_LEVEL = /^\{"type":"workflow-(?!result")/

/** Whether an event is listed with its execution: those of type `workflow-*`, except `workflow-result`. */
export function isWorkflowLevel({ data }: EventRow): boolean {
  return WORKFLOW_LEVEL.test(data)
}

/**
 * A commit that had workflow-level events: it changed what lists show of an execution. Milestones of all
 * executions are numbered from 1 in the order of their commits, without gaps.
 */
export interface Milestone {
  readonly number: number
  /** The execution's first and last one so far. */
  readonly isFirst: boolean
  readonly isLast: boolean
  /** As the execution is now, with its workflow-level events up to this milestone. */
  readonly execution: ListedExecution
}

/** The columns of an execution that change. */
export interface ExecutionChange extends Partial<
  Pick<
    ExecutionRow,
    'status' | 'ownerEpoch' | 'endedAt' | 'output' | 'error' | 'suspension' | 'suspendRequest'
  >
> {
  readonly updatedAt: number
}

/** One atomic change of one execution. */
export interface ExecutionWrite {
  readonly id: string
  /** Creates the execution; fails when the id is taken. */
  readonly insert?: ExecutionRow
  /** Changes the execution if it has this status and, where given, this epoch and this last sequence number. */
  readonly update?: {
    readonly from: ExecutionStatus
    readonly ownerEpoch?: number
    readonly lastSequence?: number
    readonly set: ExecutionChange
  }
  /** Merged into the steps' records, by path. */
  readonly steps?: readonly StepChange[]
  /** Marks steps that are running or suspended as cancelled at this instant. */
  readonly cancelStepsAt?: number
  /** Their sequence numbers follow one another. */
  readonly events?: readonly EventRow[]
}

export interface ExecutionFilter {
  readonly workflowId?: string | undefined
  readonly status?: ExecutionStatus | undefined
  readonly userId?: string | undefined
  readonly conversationId?: string | undefined
  readonly parentExecutionId?: string | undefined
  /** The execution that they replay. */
  readonly forkedFrom?: string | undefined
  /** Created after, exclusive. */
  readonly from?: number | undefined
  /** Created before, exclusive. */
  readonly to?: number | undefined
}

export interface EventRange {
  readonly after: number
  readonly limit: number
  /** No more than this many characters of data, except that one event is always given. */
  readonly chars?: number
}
