import type { User } from '../../contract/auth.ts'
import type { ExecutionResult } from '../../contract/event.ts'
import type { Metadata } from '../../contract/metadata.ts'
import { idOfUser, userKey } from '../../contract/access/user-key.ts'
import { toIso } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { toJson } from '../../lib/json/to-json.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import { isReservedId, RESERVED_ID_RULE } from '../../lib/ids.ts'
import { storedPauseAt } from '../breakpoints/breakpoints.ts'
import { tooManyWaiting } from '../queue/too-many-waiting.ts'
import type { ExecutionOrigin } from '../record/execution-events.ts'
import { parseInput } from '../record/values.ts'
import type { Run } from '../run/run.ts'
import type { GenerationHold } from '../registry.ts'
import { resultOfRun } from './remote-executions.ts'
import type { CommandDeps } from './live-runs.ts'

export interface ExecuteOptions {
  readonly executionId?: string | undefined
  readonly userId?: string | undefined
  readonly conversationId?: string | undefined
  readonly context?: Readonly<Record<string, unknown>> | undefined
  /** The authenticated user. It replaces `userId`, even when the user has no id. */
  readonly user?: User | undefined
  readonly metadata?: Metadata | undefined
  /** Replaces the priority that the workflow chooses. */
  readonly priority?: number | undefined
  /** The id of the user to whom the execution belongs, if no user is authenticated. */
  readonly ownerId?: string | undefined
  /** What starts it in place of a request, whose caller can't choose a reserved id. */
  readonly origin?: ExecutionOrigin | undefined
  /** The id of the event that starts it. */
  readonly takes?: string | undefined
  /** The steps before which it suspends. */
  readonly pauseAt?: readonly string[] | undefined
  /** The scope in which the execution's span starts. */
  readonly trace?: TraceScope | undefined
}

/** An execution that was started. */
export interface StartedExecution {
  readonly executionId: string
  readonly startAt: string
  /** Waits until the execution is stored. */
  readonly stored: () => Promise<void>
  /** Waits until the execution settles. */
  readonly result: () => Promise<ExecutionResult>
}

/**
 * Starts an execution.
 *
 * @throws AppError `not_found` for an unknown workflow, `invalid_input`, also for an unknown step in `pauseAt` and a reserved id, `conflict` when the id is in use,
 *   `unavailable` when the server stops. The result rejects with `too_many_requests` when too many executions wait.
 */
export async function execute(
  deps: CommandDeps,
  workflowId: string,
  { input, options }: { readonly input: unknown; readonly options: ExecuteOptions },
): Promise<StartedExecution> {
  const { executionId, origin } = options
  if (origin === undefined && executionId !== undefined && isReservedId(executionId))
    throw new AppError('invalid_input', `options.executionId: ${RESERVED_ID_RULE}`)
  const run = await startHolding(deps.hold(), async (hold) => {
    const workflow = hold.registry.get(workflowId)
    const text = await parseInput(workflow, input)
    const userId = (options.user ? options.user.id : options.userId) ?? null
    const context = toJson(options.context ?? {}, 'context')
    const slot = workflow.queue?.slotOf({ input: text, userId, context })
    const { priority = slot?.priority ?? 0 } = options
    const execution = {
      workflow,
      input: text,
      slot: slot && { ...slot, priority },
      context,
      id: executionId,
      origin,
      takes: options.takes,
      metadata: options.metadata ? toJson(options.metadata, 'metadata') : null,
      userId,
      user: options.user ? toJson(options.user, 'user') : null,
      owner: ownerOf(options),
      startedBy: idOfUser(options.user),
      conversationId: options.conversationId ?? null,
      pauseAt: storedPauseAt(workflow, options.pauseAt),
      trace: options.trace,
    }
    return deps.runs.start(execution, hold)
  })
  return startedExecution(deps, run)
}

/** The key of the user to whom an execution belongs. */
export function ownerOf({ user, ownerId }: ExecuteOptions): string | null {
  if (user) return userKey(user)
  return ownerId === undefined ? null : userKey({ id: ownerId })
}

/** Starts a run with a hold, which the run releases when it ends; without a run it is released here. */
export async function startHolding<Started extends Run | undefined>(
  hold: GenerationHold,
  start: (hold: GenerationHold) => Promise<Started>,
): Promise<Started> {
  let run: Started | undefined
  try {
    run = await start(hold)
    return run
  } finally {
    if (!run) hold.release()
  }
}

export function startedExecution(deps: CommandDeps, run: Run): StartedExecution {
  const { row } = run.record
  return {
    executionId: row.id,
    startAt: toIso(row.createdAt),
    stored: async () => {
      if (await run.started()) return
      const { kind } = await run.ended
      if (kind === 'full') throw tooManyWaiting(row.workflowId)
      throw new AppError('conflict', `Execution id already used: ${row.id}`)
    },
    result: () => resultOfRun(deps, run),
  }
}
