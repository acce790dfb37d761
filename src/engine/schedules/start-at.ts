import { AppError } from '../../lib/errors.ts'
import { execute } from '../executions/execute.ts'
import type { StartedExecution } from '../executions/execute.ts'
import type { CommandDeps } from '../executions/live-runs.ts'
import { reportTaken } from '../executions/start-once.ts'
import { executionIdAt, originOfSchedule } from './schedule-state.ts'

/** Whether an instant has its execution. `taken`: something else made the one that has its id. */
export type InstantStart = 'started' | 'no input' | 'taken'

/** Starts the execution of an instant, unless it was started before. If there is none, the log says why. */
export async function startAt(deps: CommandDeps, scheduleId: string, at: number): Promise<InstantStart> {
  const executionId = executionIdAt(scheduleId, at)
  const start = (await existingAt(deps, scheduleId, at)) ?? (await startNew(deps, scheduleId, at))
  if (start === 'taken') {
    const workflowId = deps.registry().schedule(scheduleId).workflow.id
    reportTaken(deps, { workflowId, executionId, scheduleId })
  }
  return start
}

/** Whether the execution with the id of an instant is that of the schedule; `undefined` when there is none. */
export async function existingAt(
  { store: { executions } }: Pick<CommandDeps, 'store'>,
  scheduleId: string,
  at: number,
): Promise<Exclude<InstantStart, 'no input'> | undefined> {
  const execution = await executions.get(executionIdAt(scheduleId, at))
  if (!execution) return undefined
  return execution.scheduleId === scheduleId ? 'started' : 'taken'
}

async function startNew(deps: CommandDeps, scheduleId: string, at: number): Promise<InstantStart> {
  const executionId = executionIdAt(scheduleId, at)
  try {
    const { stored } = await startScheduled(deps, scheduleId, { at, executionId })
    await stored()
    return 'started'
  } catch (error) {
    // another server was faster
    if (error instanceof AppError && error.code === 'conflict')
      return (await existingAt(deps, scheduleId, at)) ?? 'started'
    if (!(error instanceof InputError)) throw error
    const { cause: err } = error
    deps.logger.error(
      { err, scheduleId, executionId },
      'A scheduled execution has no valid input; it is left out',
    )
    return 'no input'
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
    return await execute(deps, workflow.id, {
      input,
      options: { executionId, origin: originOfSchedule(scheduleId) },
    }).catch((error: unknown) => {
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
