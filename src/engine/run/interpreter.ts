import { enterPart } from '../../calls/current-server.ts'
import type { Scope } from '../../lib/async/scope.ts'
import { FUNCTION_ID } from '../../workflow/definition.ts'
import { requireStored } from '../record/commit.ts'
import { encodeJson, encodeValue } from '../record/values.ts'
import { StepFailure, recordStepError } from './errors.ts'
import { FunctionRunContext } from './function-context.ts'
import { checkFits } from './misfits.ts'
import { recordedPath } from './recorded-path.ts'
import { callRunner, runStep } from './recorded-step.ts'
import type { StepDeps } from './step-deps.ts'
import { StepPart } from './step-part.ts'

/** Runs a workflow, and returns its result. What is recorded is not run again. All values are JSON text. */
export async function interpret(deps: StepDeps, scope: Scope): Promise<string> {
  const { workflow, input, resultBytes: limit } = deps.context
  if (workflow.definition.run) return callFunction(deps, scope)
  await checkFits(deps.record, workflow)
  let data = input
  for (const step of workflow.definition.steps)
    data = await runStep(deps, scope, { step, path: recordedPath(deps.record.steps, step), rounds: [], data })
  const { result: schema } = workflow
  if (!schema) return data
  try {
    return await encodeValue(JSON.parse(data), { name: 'result', schema, limit })
  } catch (error) {
    throw misfit(error, deps)
  }
}

/** The result does not fit the schema of the workflow: the error leads to the last step, which returned it. */
function misfit(error: unknown, { context: { workflow }, errors }: StepDeps): unknown {
  const step = workflow.definition.steps.at(-1)
  return step
    ? new StepFailure(recordStepError(error, { step, path: step.id, index: 0 }, errors), error)
    : error
}

/** Calls the function of a workflow, from its top. */
async function callFunction(deps: StepDeps, scope: Scope): Promise<string> {
  const { workflow, resultBytes: limit } = deps.context
  const run = workflow.definition.run as (context: FunctionRunContext) => unknown
  // what is not recorded runs now
  requireStored(await deps.record.commit())
  const context = new FunctionRunContext(deps, scope, callRunner(deps))
  try {
    const part = new StepPart(deps.record.row, FUNCTION_ID, { trace: deps.trace.scope, scope })
    const call = () => enterPart(part, () => context.whileInPass(run(context)))
    const result = await scope.guard(Promise.resolve(deps.trace.run(call)))
    await context.pass?.end()
    const { result: schema } = workflow
    const name = 'result'
    return schema ? await encodeValue(result, { name, schema, limit }) : encodeJson(result, { name, limit })
  } catch (error) {
    throw context.pass ? await context.pass.fail(error) : error
  }
}
