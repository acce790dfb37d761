import { startExecution } from '../run/run-trace.ts'
import type { DurableRecord } from './execution-record.ts'
import { scheduleOf } from './execution-events.ts'
import type { Starter } from './execution-events.ts'
import { parseDuration } from '../../lib/duration.ts'
import type { OpenSpan, SpanLink, SpanIds, TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { ExecutionRow, StepRow } from '../../store/execution-store.ts'
import type { StoredPauseAt } from '../breakpoints/breakpoints.ts'
import type { QueueSlot } from '../queue/queue-rules.ts'
import type { RegisteredWorkflow } from '../registry.ts'

/** The facts that an execution starts with. `input` and `context` are JSON text. */
export interface NewExecution extends Starter {
  readonly workflow: RegisteredWorkflow
  readonly input: string
  /** Of a workflow with limits: what it takes a slot of. */
  readonly slot?: QueueSlot | undefined
  readonly context: string
  readonly id?: string | undefined
  readonly userId?: string | null
  readonly conversationId?: string | null
  readonly parentId?: string
  /** The record of the parent: both are stored with one write, or neither. */
  readonly storedWith?: DurableRecord
  /** JSON text of the authenticated user. */
  readonly user?: string | null
  /** The key of the authenticated user whom it belongs to. */
  readonly owner?: string | null
  readonly forkedFrom?: string
  /** The group of the failure that it replays. */
  readonly failure?: string | null
  readonly steps?: readonly StepRow[]
  /** The steps before which it suspends. */
  readonly pauseAt?: StoredPauseAt
  /** The scope of its span. Default: a new trace. */
  readonly trace?: TraceScope | undefined
  readonly links?: readonly SpanLink[]
  /** Of an answer: that of its agent, which has the spans. */
  readonly traceId?: string
  /** JSON text of what it is found by. */
  readonly metadata?: string | null
  /** The id of the event that starts it. */
  readonly takes?: string | undefined
}

/** Starts the span of a new execution: in the scope of its caller, or else in `root`. */
export function startNewExecutionSpan(
  { workflow, input, userId = null, conversationId = null, trace, links }: NewExecution,
  { id, root }: { id: string; root: TraceScope },
): OpenSpan {
  const subject = { id, input, userId, conversationId }
  return startExecution(trace ?? root, workflow, { subject, ...(links && { links }) })
}

/** The first row of an execution. */
export function newExecutionRow(
  execution: NewExecution,
  { id, now, ownerEpoch, spanIds }: { id: string; now: number; ownerEpoch: number; spanIds: SpanIds },
): ExecutionRow {
  const { workflow, input, context } = execution
  const { definition, hash } = workflow
  const timeout = parseDuration(definition.timeout)
  return {
    id,
    kind: execution.workflow.kind,
    workflowId: definition.id,
    workflowName: definition.name,
    status: 'running',
    ownerEpoch,
    createdAt: now,
    updatedAt: now,
    endedAt: null,
    userId: execution.userId ?? null,
    conversationId: execution.conversationId ?? null,
    parentId: execution.parentId ?? null,
    user: execution.user ?? null,
    definitionHash: hash,
    traceId: spanIds.traceId,
    spanId: spanIds.spanId,
    input,
    context,
    output: null,
    error: null,
    suspension: null,
    suspendRequest: null,
    forkedFrom: execution.forkedFrom ?? null,
    owner: execution.owner ?? null,
    resumedUser: null,
    pauseAt: execution.pauseAt ?? null,
    metadata: execution.metadata ?? null,
    compensation: null,
    acceptedChanges: null,
    timesOutAt: timeout === undefined ? null : now + timeout,
    failure: execution.failure ?? null,
    scheduleId: scheduleOf(execution.origin),
  }
}
