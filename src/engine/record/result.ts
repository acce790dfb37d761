import type { ExecutionError, ExecutionResult, Suspension } from '../../contract/event.ts'
import { toIso } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { JsonSchema } from '../../lib/schema/schema.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import { StoreFailure } from '../run/errors.ts'
import type { RunEnd, RunOutcome } from '../run/outcome.ts'
import { tooManyWaiting } from '../queue/too-many-waiting.ts'
import { suspensionOf } from './execution-events.ts'
import { shownCompensation } from './compensation.ts'
import { decodeStored } from './values.ts'
import type { StoredSuspension } from './execution-events.ts'

/**
 * The result of a run that has ended here, for the caller that waited for it.
 *
 * @throws AppError `conflict` when the id was taken, `too_many_requests`, `execution_failed`, `unavailable` when the server stops.
 */
export function resultOf(
  row: Pick<ExecutionRow, 'id' | 'workflowId' | 'createdAt'>,
  end: Exclude<RunEnd, { kind: 'fenced' }>,
): ExecutionResult {
  if (end.kind === 'full') throw tooManyWaiting(row.workflowId)
  if (end.kind === 'refused') throw new AppError('conflict', `Execution id already used: ${row.id}`)
  if (end.kind === 'stopped') throw stoppedError(row.id, end.cause)
  return outcomeResult(row, end.outcome)
}

/**
 * The result of a settled execution, from its row.
 *
 * @throws AppError `execution_failed`
 */
export function recordedResult(row: ExecutionRow): ExecutionResult {
  if (row.status === 'error') throw failedError(row.id, recordedError(row))
  return storedResult(row)
}

/** The result of an execution that has failed, from its row. */
export function failedResult(row: ExecutionRow): ExecutionResult {
  return { ...storedResult(row), error: recordedError(row) }
}

function recordedError({ error }: ExecutionRow): ExecutionError | undefined {
  return decodeStored<ExecutionError | undefined>(error ?? '', undefined)
}

function storedResult(row: ExecutionRow): ExecutionResult {
  const { suspension } = row
  return {
    executionId: row.id,
    startAt: toIso(row.createdAt),
    endAt: row.endedAt === null ? null : toIso(row.endedAt),
    status: row.status,
    result: row.output === null ? null : (JSON.parse(row.output) as unknown),
    ...(suspension !== null && { suspension: shownSuspension(JSON.parse(suspension) as StoredSuspension) }),
    ...(row.endedAt !== null && shownCompensation(row)),
  }
}

/** The schema of the data that a suspended execution is resumed with; `undefined` without one. */
export function resumeSchemaOf({ suspension }: Pick<ExecutionRow, 'suspension'>): JsonSchema | undefined {
  if (suspension === null) return undefined
  const { resumeSchema } = JSON.parse(suspension) as StoredSuspension
  return (resumeSchema as JsonSchema | null | undefined) ?? undefined
}

export function shownSuspension({
  path: _,
  resumeSchema: __,
  by: ___,
  ...shown
}: StoredSuspension): Suspension {
  return shown
}

function outcomeResult(
  { id, createdAt }: Pick<ExecutionRow, 'id' | 'createdAt'>,
  outcome: RunOutcome,
): ExecutionResult {
  if (outcome.status === 'error') throw failedError(id, outcome.error)
  return {
    executionId: id,
    startAt: toIso(createdAt),
    endAt: outcome.status === 'suspended' ? null : toIso(outcome.at),
    status: outcome.status,
    result: outcome.status === 'completed' ? (JSON.parse(outcome.output) as unknown) : null,
    ...(outcome.status === 'suspended' && { suspension: suspensionOf(outcome) }),
    ...('compensation' in outcome && { compensation: outcome.compensation }),
  }
}

function failedError(id: string, cause?: ExecutionError): AppError {
  return new AppError('execution_failed', 'Workflow execution failed', {
    headers: { 'X-Execution-Id': id },
    ...(cause && { cause }),
  })
}

export function stoppedError(id: string, cause: unknown): AppError {
  const headers = { 'X-Execution-Id': id }
  if (cause instanceof StoreFailure) return new AppError(cause.code, cause.message, { cause, headers })
  return new AppError(
    'unavailable',
    'The server is shutting down; the execution continues on another machine, or when a server starts again',
    {
      cause,
      headers,
    },
  )
}
