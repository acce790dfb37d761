import type { ExecutionError } from '../../contract/event.ts'
import type { Compensation, CompensationReason } from '../../contract/status.ts'
import { compensationPath, outerPath, roundIn } from '../../contract/step-path.ts'
import { Scope } from '../../lib/async/scope.ts'
import type { StepRow } from '../../store/execution-store.ts'
import type { StepDefinition } from '../../workflow/definition.ts'
import { NonRetryableError } from '../../step/retry.ts'
import { defineStep } from '../../workflow/step.ts'
import { compensable, compensationReason } from '../record/compensation.ts'
import type { DurableRecord } from '../record/execution-record.ts'
import { RunAborted, StepFailure } from './errors.ts'
import { FunctionRunContext } from './function-context.ts'
import type { EndingOutcome } from './outcome.ts'
import { callRunner, collectCalls, runStep } from './recorded-step.ts'
import type { StepDeps } from './step-deps.ts'
import type { Round } from './step-task.ts'
import { endStarted } from './steps/child.ts'
import { RunActivity } from './steps/run-activity.ts'

interface CompensateOptions {
  readonly ending: EndingOutcome
  /** The recorded calls with a compensation that this process has made, by path. */
  readonly calls: Map<string, StepDefinition>
}

/**
 * Compensates the completed steps of an execution that failed or was cancelled, one after the other, the last first. What
 * is recorded of it is not repeated. A compensation that fails for good does not stop the others.
 */
export async function compensate(
  deps: StepDeps,
  scope: Scope,
  { ending, calls }: CompensateOptions,
): Promise<Compensation> {
  const { record, context } = deps
  await endCancelled(deps, scope)
  const rows = compensable(record.steps.values())
  const find = ({ path }: StepRow) => context.workflow.placeAt(path)?.step ?? calls.get(path)
  const lacking = () => rows.filter((row) => !find(row) && !isCompensated(record, row))
  // the functions of the process in which the calls were made are gone
  if (lacking().length > 0) await collect(deps, scope, { calls, lacking, at: ending.at })
  let failed = false
  for (const row of rows) {
    const path = compensationPath(row.path)
    const step = compensationStep(find(row), row, ending)
    const { output } = row
    const index = record.steps.size
    try {
      await runStep(deps, scope, { step, path, rounds: [], data: output ?? 'null', index })
    } catch (error) {
      if (!(error instanceof StepFailure)) throw error
      failed = true
      const err = error.cause ?? error.recorded
      context.logger.error({ ...context.logBindings, stepId: row.stepId, err }, 'A compensation failed')
    }
  }
  return failed ? 'failed' : 'completed'
}

function isCompensated({ steps }: DurableRecord, { path }: StepRow): boolean {
  const status = steps.get(compensationPath(path))?.status
  return status === 'completed' || status === 'error'
}

/** Ends what open steps had started: children are cancelled, and compensated before this execution. */
async function endCancelled({ record, children }: StepDeps, scope: Scope): Promise<void> {
  const cancelled = [...record.steps.values()].filter(({ status }) => status === 'cancelled')
  for (const step of cancelled) {
    await scope.guard(endStarted(children, step, 'The parent execution has ended'))
    const { childId } = step
    if (childId === null) continue
    if ((await scope.guard(children.awaitChild(childId))) === 'stopped')
      throw new RunAborted('stopping', 'The server is stopping')
  }
}

/** The step that calls the compensation of another one, with its retries and time limit. */
function compensationStep(
  step: StepDefinition | undefined,
  { stepId, name }: StepRow,
  ending: EndingOutcome,
): StepDefinition {
  const { retries, timeoutMs, compensate: undo } = step ?? {}
  const facts: { reason: CompensationReason; error: ExecutionError | undefined } = {
    reason: compensationReason(ending),
    error: ending.status === 'error' ? ending.error : undefined,
  }
  const options = {
    id: compensationPath(stepId),
    name: `Compensation of ${name}`,
    ...(retries !== undefined && { retries }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  }
  return defineStep('andThen', options, {
    run: (runtime) =>
      runtime.invoke(async ({ data, attempt, idempotencyKey, signal, logger }) => {
        if (!undo)
          throw new NonRetryableError(
            `The code has no compensation of "${stepId}" any more, or did not reach it when it ran over the record`,
          )
        await undo(data, { ...facts, attempt, idempotencyKey, signal, logger })
      }),
  })
}

interface Collecting {
  readonly calls: Map<string, StepDefinition>
  /** The completed calls whose code is not known yet. */
  readonly lacking: () => readonly StepRow[]
  /** When the steps were cancelled that were open. */
  readonly at: number
}

/**
 * Runs functions over their record for the calls that they make: that of the workflow, and those of steps and calls with calls
 * in them, from the outside in. No call is started; what is not in a call runs again.
 */
async function collect(deps: StepDeps, scope: Scope, { calls, lacking, at }: Collecting): Promise<void> {
  const { workflow } = deps.context
  const found = new Map<string, StepDefinition>()
  const collecting = (): StepDeps => ({
    ...deps,
    activity: new RunActivity(),
    collectsAt: at,
    onCall: (path, step) => {
      found.set(path, step)
      if (step.compensate) calls.set(path, step)
    },
  })
  const outers = new Set(lacking().flatMap(({ path }) => outerPaths(path)))
  for (const path of [...outers].toSorted((a, b) => a.length - b.length)) {
    if (lacking().length === 0) return
    if (path === '') {
      if (workflow.definition.run) await collectFunction(collecting(), scope)
      continue
    }
    const step = workflow.placeAt(path)?.step ?? found.get(path)
    const row = deps.record.steps.get(path)
    if (!step || !row) continue
    const { input: data, position: index } = row
    await collectCalls(collecting(), scope, { step, path, rounds: roundsOf(path, deps), data, index })
  }
}

async function collectFunction(deps: StepDeps, scope: Scope): Promise<void> {
  const run = deps.context.workflow.definition.run as (context: FunctionRunContext) => unknown
  const within = new Scope(scope)
  const context = new FunctionRunContext(deps, within, callRunner(deps))
  try {
    await within.guard(Promise.resolve(context.whileInPass(run(context))))
  } catch {
    // it fails or waits as it did; what it had completed is known now
  }
  within.abort(new RunAborted('ended', 'The calls are known'))
  if (scope.reason) throw scope.reason
}

/** The paths around a step, the workflow's own `''` included. */
function outerPaths(path: string): string[] {
  const outer = outerPath(path)
  return outer === '' ? [''] : [...outerPaths(outer), outer]
}

/** The rounds in which a step has run, the outer one first. */
function roundsOf(path: string, { context }: StepDeps): Round[] {
  return outerPaths(`${path}/x`).flatMap((outer) => {
    const index = roundIn(outer)
    if (index === undefined) return []
    return { path: outer, declaredPath: context.workflow.placeAt(outer)?.path ?? outer, index }
  })
}
