import { AppError } from '../../lib/errors.ts'
import { execute } from '../executions/execute.ts'
import type { StartedExecution } from '../executions/execute.ts'
import type { CommandDeps } from '../executions/live-runs.ts'
import { executionIdAt } from './schedule-state.ts'

/**
 * Starts the execution of an instant, unless it was started before. Resolves with whether there is one: without a valid
 * input there is none, and the log says why.
 */
export async function startAt(deps: CommandDeps, scheduleId: string, at: number): Promise<boolean> {
  const executionId = executionIdAt(scheduleId, at)
  if (await deps.store.executions.get(executionId)) return true
  try {
    const { stored } = await startScheduled(deps, scheduleId, { at, executionId })
    await stored()
    return true
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') return true
    if (!(error instanceof InputError)) throw error
    const { cause: err } = error
    deps.logger.error(
      { err, scheduleId, executionId },
      'A scheduled execution has no valid input; it is left out',
    )
    return false
  }
}

/**
 * Starts an execution of a schedule's workflow.
 *
 * @throws InputError when there is no valid input, and as `execute`.
 */
export async function startScheduled(
  deps: CommandDeps,
  scheduleId: string,
  { at, executionId }: { readonly at: number; readonly executionId?: string },
): Promise<StartedExecution> {
  const hold = deps.hold()
  try {
    const { workflow, inputAt } = hold.registry.schedule(scheduleId)
    const input = await deps.enter(() => inputAt({ scheduledAt: new Date(at) })).catch(toInputError)
    return await execute(deps, workflow.id, { input, options: { executionId } }).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'invalid_input' ? new InputError(error) : error
    })
  } finally {
    hold.release()
  }
}

/** A schedule chose no valid input. */
export class InputError extends Error {
  override readonly name = 'InputError'

  constructor(cause: unknown) {
    super('The schedule has no valid input', { cause })
  }
}

function toInputError(error: unknown): never {
  throw new InputError(error)
}
