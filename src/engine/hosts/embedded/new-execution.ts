import type { ExecutionRow } from '../../../store/store.ts'
import type { RegisteredWorkflow } from '../../registry.ts'
import type { RecordedHistory } from './run-record.ts'

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
}

/** The first record of an execution. `trace` is 48 hexadecimal digits: those of the trace, then of its span. */
export function newExecutionRow(
  { workflow, input, context, ...rest }: NewExecution,
  { id, now, epoch, trace }: { id: string; now: number; epoch: number; trace: string },
): ExecutionRow {
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
    userId: rest.userId ?? null,
    conversationId: rest.conversationId ?? null,
    parentId: rest.parentId ?? null,
    user: rest.user ?? null,
    definitionHash: hash,
    traceId: trace.slice(0, 32),
    spanId: trace.slice(32),
    input,
    context,
    output: null,
    error: null,
    suspension: null,
    suspendRequest: null,
    forkedFrom: rest.forkedFrom ?? null,
  }
}
