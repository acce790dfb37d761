import type { Scope } from '../../lib/async/scope.ts'
import { encodeValue } from '../record/values.ts'
import { runStep } from './recorded-step.ts'
import type { StepDeps } from './recorded-step.ts'

/** Runs a workflow's steps in order and returns the result. Recorded steps are not run again. All values are JSON text. */
export async function interpret(deps: StepDeps, scope: Scope): Promise<string> {
  const { workflow, input, resultBytes: limit } = deps.context
  let data = input
  for (const step of workflow.definition.steps)
    data = await runStep(deps, scope, { step, path: step.id, rounds: [], data })
  const { result: schema } = workflow
  return schema ? encodeValue(JSON.parse(data), { name: 'result', schema, limit }) : data
}
