import { AppError } from '../lib/errors.ts'
import type { StepCalls } from './step-calls.ts'

const refused = (call: string) =>
  new AppError(
    'conflict',
    `${call} is not available: this call of the tool is not recorded. Recorded are the calls by an answer with resumable: true, of the agent or of the request, by an agent that a workflow asks, and by step.tool`,
  )

const refuse = (name: string) => (id: string) =>
  Promise.reject(refused(`step.${name}(${JSON.stringify(id)})`))

/** The calls of what has no record: each throws. */
export const UNRECORDED_CALLS: StepCalls = {
  run: refuse('run'),
  sleep: refuse('sleep'),
  sleepUntil: refuse('sleepUntil'),
  suspend: refuse('suspend'),
  waitForEvent: refuse('waitForEvent'),
  agent: refuse('agent'),
  tool: refuse('tool'),
  workflow: refuse('workflow'),
  sendEvent: refuse('sendEvent'),
  metadata: () => {
    throw refused('step.metadata()')
  },
}
