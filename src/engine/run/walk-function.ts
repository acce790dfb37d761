import type { Logger } from 'pino'
import type { Misfit } from '../../contract/event.ts'
import { delay } from '../../lib/clock.ts'
import { Scope } from '../../lib/async/scope.ts'
import type { RegisteredWorkflow } from '../registry.ts'
import { RunAborted, SuspendSignal } from './errors.ts'
import type { RecordOfSteps } from './misfits.ts'
import { FunctionRunContext } from './function-context.ts'
import type { PassDeps } from './pass.ts'
import { RunActivity } from './steps/run-activity.ts'

export interface WalkedFunction {
  readonly workflow: RegisteredWorkflow
  /** For what the function logs. */
  readonly logger: Logger
}

/** Code outside of recorded calls that takes longer must not hold up those who compare. */
const MAX_WALK_MS = 5000
const LATE: readonly Misfit[] = [
  {
    stepId: '',
    reason: `whether it fits is not known: its function takes more than ${MAX_WALK_MS} ms outside of recorded calls`,
  },
]

const UNLIMITED = Number.POSITIVE_INFINITY

/**
 * Runs the function of an execution over its record: recorded calls return what they have returned, and no other begins.
 * Returns where the record does not fit. Code outside of calls runs.
 */
export async function walkFunction(
  { row, steps }: RecordOfSteps,
  { workflow, logger }: WalkedFunction,
): Promise<readonly Misfit[]> {
  const { id, workflowId, traceId } = row
  const refuse = () => Promise.reject(new RunAborted('ended', 'The record is only read'))
  const deps: PassDeps = {
    context: {
      workflow,
      input: row.input,
      context: row.context,
      userId: row.userId ?? undefined,
      user: row.user,
      resumedUser: row.resumedUser,
      conversationId: row.conversationId ?? undefined,
      logger,
      logBindings: { executionId: id, workflowId, traceId },
      ask: refuse,
      resultBytes: UNLIMITED,
      maxItems: UNLIMITED,
      maxCalls: UNLIMITED,
      linkTtlMs: 0,
      resumeUrl: () => undefined,
    },
    record: {
      id,
      row,
      steps,
      closed: true,
      now: () => row.updatedAt,
      stage: () => undefined,
      addMetadata: () => undefined,
      commit: () => Promise.resolve('stored' as const),
    },
    onCall: () => undefined,
    collectsAt: undefined,
    activity: new RunActivity(),
    children: { cancelChild: refuse, endAnswer: refuse },
  }
  const scope = new Scope()
  const never = new Promise<never>(() => undefined)
  const context = new FunctionRunContext(deps, scope, async (within, { step, path, index = 0 }) => {
    await deps.activity.wait(within.guard(never))
    const place = { step, path, index }
    throw new SuspendSignal(place, { reason: 'walked', data: null }, { external: true })
  })
  const run = workflow.definition.run as (context: FunctionRunContext) => unknown
  const timer = new AbortController()
  const late = delay(MAX_WALK_MS, timer.signal).then(() => LATE)
  late.catch(() => undefined)
  try {
    const walked = scope.guard(Promise.resolve(context.whileInPass(run(context)))).then(() => [])
    return await Promise.race([walked, late])
  } catch (error) {
    // what fails otherwise fails when it continues
    return error instanceof SuspendSignal ? (error.request.misfits ?? []) : []
  } finally {
    timer.abort()
    scope.abort(new RunAborted('ended', 'The record is only read'))
  }
}
