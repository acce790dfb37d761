import type { DurableIo } from './durable-io.ts'
import type { RunContext } from './interpretation.ts'
import { encoded } from '../record/step-values.ts'
import { runStep } from './durable-step-runtime.ts'

/**
 * Walks a workflow's steps and gives its result. Steps that are recorded already are not run again; what is
 * durable goes through `io`. All values are JSON text.
 */
export async function interpret(run: RunContext, io: DurableIo): Promise<string> {
  let data = run.input
  for (const step of run.workflow.definition.steps) data = await runStep(run, io, { step, prefix: '', data })
  const { result: schema } = run.workflow
  return schema ? encoded(JSON.parse(data), { what: 'result', schema, limit: run.resultBytes }) : data
}
