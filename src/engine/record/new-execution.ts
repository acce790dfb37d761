import { startExecution } from '../run/run-trace.ts'
import type { OpenSpan, SpanLink, SpanPlace, TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import type { RegisteredWorkflow } from '../registry.ts'
import type { RecordedHistory } from './execution-record.ts'

/** What an execution begins with. `input` and `context` are JSON text. */
export interface NewExecution {
  readonly workflow: RegisteredWorkflow
  readonly input: string
  readonly context: string
  readonly id?: string | undefined
  readonly userId?: string | null
  readonly conversationId?: string | null
  readonly parentId?: string
  /** JSON text of the authenticated user. */
  readonly user?: string | null
  readonly forkedFrom?: string
  readonly steps?: RecordedHistory['steps']
  /** What its span is below; without it, a trace of its own begins. */
  readonly trace?: TraceScope | undefined
  readonly links?: readonly SpanLink[]
}

/** Starts the span of an execution: below what asked for it, or else below `root`. */
export function newExecutionSpan(
  { workflow, input, userId = null, conversationId = null, trace, links }: NewExecution,
  { id, root }: { id: string; root: TraceScope },
): OpenSpan {
  const subject = { id, input, userId, conversationId }
  return startExecution(trace ?? root, workflow, { subject, ...(links && { links }) })
}

/** The first record of an execution. */
export function newExecutionRow(
  execution: NewExecution,
  { id, now, epoch, place }: { id: string; now: number; epoch: number; place: SpanPlace },
): ExecutionRow {
  const { workflow, input, context } = execution
  const { definition, hash } = workflow
  return {
    id,
    workflowId: definition.id,
    workflowName: definition.name,
    status: 'running',
    epoch,
    createdAt: now,
    updatedAt: now,
    endedAt: null,
    userId: execution.userId ?? null,
    conversationId: execution.conversationId ?? null,
    parentId: execution.parentId ?? null,
    user: execution.user ?? null,
    definitionHash: hash,
    traceId: place.traceId,
    spanId: place.spanId,
    input,
    context,
    output: null,
    error: null,
    suspension: null,
    suspendRequest: null,
    forkedFrom: execution.forkedFrom ?? null,
  }
}
