import type { Pin } from '../../contract/endpoints/project/pins.ts'
import type { ExecutionError } from '../../contract/event.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Registry } from '../../engine/registry.ts'
import { toIso } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import type { StoredPin } from './pin-file.ts'

interface PinState {
  /** The last replay. */
  readonly replay: ExecutionRow | undefined
  /** Why it can never run again. */
  readonly gone: string | undefined
  /** Why it did not run again. */
  readonly problem: string | undefined
}

/** A pin as the API shows it. */
export function pinRecord(pin: StoredPin, { replay, gone, problem }: PinState): Pin {
  const { executionId, workflowId, workflowName, stepId, pinnedAt, comparedId } = pin
  const error = problem === undefined && replay ? errorOf(replay) : undefined
  const status = problem === undefined ? (replay?.status ?? 'idle') : 'error'
  return {
    executionId,
    workflowId,
    workflowName,
    stepId,
    pinnedAt: toIso(pinnedAt),
    status: gone === undefined ? status : 'gone',
    ...(problem !== undefined && { problem }),
    ...(error && { error }),
    ...(replay && { replayExecutionId: replay.id }),
    ...(comparedId !== undefined && { comparedExecutionId: comparedId }),
  }
}

/** The step at which an execution failed. */
export function failedStepOf(row: ExecutionRow): string | undefined {
  return errorOf(row)?.stepId
}

function errorOf({ error }: ExecutionRow): ExecutionError | undefined {
  return error === null ? undefined : (JSON.parse(error) as ExecutionError)
}

/** Why a pin can't run again: its execution or its workflow does not exist any more. */
export async function goneProblem(
  { executionId, workflowId }: StoredPin,
  { engine, registry }: { readonly engine: Engine; readonly registry: Registry },
): Promise<string | undefined> {
  if (!registry.find(workflowId)) return `The workflow "${workflowId}" is not in the configuration`
  try {
    await engine.executions.find({ executionId })
    return undefined
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found')
      return 'The execution was deleted, by retention.executions'
    throw error
  }
}
