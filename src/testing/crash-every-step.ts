import { exportedConfig, resolveConfig } from '../config/config.ts'
import type { AgentServerConfig } from '../config/config.ts'
import type { CaseRules } from '../contract/evals/case.ts'
import { requireObject } from '../lib/require-object.ts'
import type { TypedWorkflow } from '../workflow/definition.ts'
import type { ProofReport } from '../server/proof/findings.ts'
import { prove } from '../server/proof/proof.ts'
import type { ProofEvent, ProofResume } from '../server/proof/given.ts'
import type { RunOptions } from './test-runner.ts'

/** Options of `crashEveryStep`. */
export interface CrashEveryStepOptions<Input = unknown> {
  /** Input of the workflow. */
  readonly input: Input
  /** Resume data: a list with one for each suspension in order, or by the ids of the steps, `{ [stepId]: data }`. */
  readonly resume?: ProofResume
  /** Events to send: each when a step waits for it, or when the step `after` has ended. */
  readonly events?: readonly ProofEvent[]
  /** Chooses delays, and with them the winners of races. The same seed makes the same runs. Default: 1. */
  readonly seed?: number
  /**
   * An object whose functions are the side effects of the workflow, such as `{ charge, refund }` of a payment provider. They
   * are wrapped in place while the proof runs.
   */
  readonly effects?: object
  /** How values of the result are compared, by their JSON pointers, as the `rules` of a case: `{ '/ms': { ignore: true } }`. */
  readonly rules?: CaseRules
  /** As those of `run` of a test runner. */
  readonly options?: RunOptions
  /** The default export of `agentserver.config.ts`, for a workflow that starts others, or with hooks there. */
  readonly config?: AgentServerConfig
}

/**
 * Runs a workflow, and then again with a crash before, during and after each of its recorded calls: steps of a chain, and
 * calls of `step`. Each crash ends the process as a kill does, and a new one recovers what was stored, in memory and on a
 * clock that skips waits. Reports what a crash repeats, changes, or keeps from ending.
 *
 * @throws TypeError for a workflow that is none, or is not in `config`, and for effects that are no functions; AppError
 *   `invalid_input` for input or resume data that the workflow refuses, and for a step in `resume` or `events` that did not
 *   run or wait.
 *
 * @example
 * const report = await crashEveryStep(order, {
 *   input: { orderId: 'A-1', total: 250 },
 *   resume: { approve: { approved: true } },
 *   effects: payments,
 * })
 * expect(report).toMatchObject({ repeatedWithoutKey: [], differentResults: [], unfinished: [], unstableIds: [] })
 */
export async function crashEveryStep<Input>(
  workflow: TypedWorkflow<Input, unknown>,
  options: CrashEveryStepOptions<Input>,
): Promise<ProofReport> {
  requireObject('crashEveryStep', 'workflow', workflow, { id: 'string', steps: 'array' })
  requireObject('crashEveryStep', 'options', options, {
    resume: ['array', 'object'],
    events: 'array',
    seed: 'number',
    effects: 'object',
    rules: 'object',
    options: 'object',
    config: 'object',
  })
  const { input, resume = [], events = [], seed = 1, effects = {}, rules = {}, options: given = {} } = options
  const declared = options.config ? exportedConfig(options.config) : { workflows: [workflow] }
  const config = resolveConfig({ ...declared, database: ':memory:' }, 'crashEveryStep()', { env: {} })
  if (!config.workflows.includes(workflow))
    throw new TypeError(
      `crashEveryStep(): config has ${config.workflows.some(({ id }) => id === workflow.id) ? 'another workflow' : 'no workflow'} with the id "${workflow.id}": pass one of its workflows`,
    )
  return prove({
    config,
    root: process.cwd(),
    workflowId: workflow.id,
    input,
    options: given,
    resume,
    events,
    effects: effects as Readonly<Record<string, unknown>>,
    seed,
    rules,
  })
}
