import { isDeepStrictEqual } from 'node:util'
import { toIso } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { ExecutionStore } from '../../store/execution-store.ts'
import { parseInput } from '../record/values.ts'
import { awaitResult } from './remote-executions.ts'
import { execute, ownerOf } from './execute.ts'
import type { ExecuteOptions, StartedExecution } from './execute.ts'
import type { CommandDeps } from './live-runs.ts'

export interface OnceOptions extends ExecuteOptions {
  readonly executionId: string
  readonly origin: 'code'
}

/**
 * Starts an execution and waits until it is stored, or returns the one with its id, if an equal call of code has started
 * it: with the same workflow, owner and input.
 *
 * @throws AppError `conflict` when something else made the execution with this id; otherwise as `execute`.
 */
export async function startOnce(
  deps: CommandDeps,
  workflowId: string,
  { input, options }: { readonly input: unknown; readonly options: OnceOptions },
): Promise<StartedExecution> {
  try {
    const started = await execute(deps, workflowId, { input, options })
    await started.stored()
    return started
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'conflict') throw error
  }
  const { executionId } = options
  await deps.runs.get(executionId)?.started()
  const row = await deps.store.executions.get(executionId)
  if (!row) throw new AppError('conflict', `Execution ${executionId} was deleted in the meantime. Try again`)
  const parsed = await parseInput(deps.registry().get(workflowId), input)
  const differs = [
    row.workflowId !== workflowId && 'another workflow',
    row.owner !== ownerOf(options) && 'another owner',
    !isDeepStrictEqual(JSON.parse(row.input), JSON.parse(parsed)) && 'another input',
    (await originOf(deps.store.executions, executionId)) !== options.origin && 'another origin',
  ].find((difference) => difference !== false)
  if (differs !== undefined) {
    reportTaken(deps, { workflowId, executionId })
    throw new AppError('conflict', `Execution ${executionId} was not made by this call: it has ${differs}`)
  }
  return {
    executionId,
    startAt: toIso(row.createdAt),
    stored: () => Promise.resolve(),
    result: () => awaitResult(deps, executionId),
  }
}

/** What started an execution in place of a request; `undefined` for a request, and when there is no execution. */
export async function originOf(
  executions: Pick<ExecutionStore, 'events'>,
  id: string,
): Promise<string | undefined> {
  const [first] = await executions.events(id, { after: 0, limit: 1 })
  return first && (JSON.parse(first.data) as { readonly origin?: string }).origin
}

/** Reports that an execution was not started, because its id is that of one that something else made. */
export function reportTaken(
  { logger, meter }: Pick<CommandDeps, 'logger' | 'meter'>,
  {
    workflowId,
    ...ids
  }: { readonly workflowId: string; readonly executionId: string; readonly scheduleId?: string },
): void {
  meter.idTaken(workflowId)
  logger.error(
    { workflowId, ...ids },
    'An execution was not started: something else made the one that has its id',
  )
}
