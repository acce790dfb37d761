import { encodeValue } from '../record/values.ts'
import type { DurableIo } from './durable-io.ts'
import { runStep } from './durable-step-runtime.ts'
import type { RunContext } from './run-context.ts'

/**
 * Runs a workflow's steps in order and returns the result. Recorded steps are not run again; everything durable
 * goes through `io`. All values are JSON text.
 */
export async function interpret(run: RunContext, io: DurableIo): Promise<string> {
  let data = run.input
  for (const step of run.workflow.definition.steps)
    data = await runStep(run, io, { step, path: step.id, rounds: [], data })
  const { result: schema } = run.workflow
  return schema ? encodeValue(JSON.parse(data), { name: 'result', schema, limit: run.resultBytes }) : data
}
