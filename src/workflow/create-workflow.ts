import { declaredAs, declaredHere } from '../lib/declared-at.ts'
import { asProblems } from '../lib/found-problem.ts'
import { requireObject } from '../lib/require-object.ts'
import { misspelledOptions } from '../lib/unknown-option.ts'
import type { JsonResult } from '../lib/json/json-result.ts'
import type { Schema } from '../lib/schema/schema.ts'
import { isStep } from './step.ts'
import type { Step } from './step.ts'
import { currentServer } from '../calls/current-server.ts'
import type { StartOptions } from '../calls/start.ts'
import type { StepResult } from '../step/step-result.ts'
import { addStepKinds, chainMethods } from './group.ts'
import { STEP_KINDS } from './steps/index.ts'
import type { FunctionConfig, FunctionWorkflow } from './function-workflow.ts'
import type { CallerInput, Given, Problem, Workflow, WorkflowConfig } from './workflow.ts'
import type { StepDefinition } from './definition.ts'

type StepInput<S extends Schema> = Given<S, Record<string, unknown>>
type Built<In extends Schema, Out extends Schema, Data, Id extends string, Results> = Workflow<
  CallerInput<In>,
  StepInput<In>,
  Data,
  Out,
  Id,
  Results
>

/** The result type of a step argument that was omitted. */
declare const absent: unique symbol
type Absent = typeof absent
type IsAbsent<Result> = 0 extends 1 & Result
  ? false
  : [Result] extends [never]
    ? false
    : [Result] extends [Absent]
      ? true
      : false

/** Reports at the workflow that the last step argument returns what its result schema refuses. */
type Fitting<Result, Out extends Schema> =
  IsAbsent<Result> extends true
    ? unknown
    : [Problem<Result, Out>] extends [undefined]
      ? unknown
      : {
          /** Schema that the last output fits. */
          readonly resultSchema: Problem<Result, Out>
        }

/** Keeps the signature with steps from accepting a function: the compiler explains why the last signature refuses it. */
interface NotRun {
  /** Of a workflow that is a function, which has no steps. */
  readonly run?: undefined
}

/** The result type of the last step argument. */
type Last<Results extends readonly unknown[], Otherwise> = Results extends readonly [
  ...infer Before,
  infer Final,
]
  ? IsAbsent<Final> extends true
    ? Last<Before, Otherwise>
    : Final
  : Otherwise

/**
 * Declares a workflow. Add steps by chaining (`.andThen({...})`), or pass up to ten steps as arguments; both are
 * equivalent. Each chained call returns a new workflow. Problems of the declaration are not thrown, but reported
 * when the configuration is loaded.
 *
 * @example
 * const order = createWorkflow({ id: 'order', inputSchema: z.object({ amount: z.number() }) })
 *   .andThen({ id: 'charge', retries: 3, execute: ({ data }) => charge(data.amount) })
 *   .andTap({ id: 'notify', execute: ({ data }) => notify(data) })
 *
 * @example
 * const same = createWorkflow({ id: 'order' }, andThen({ … }), andTap({ … }))
 */
export function createWorkflow<
  In extends Schema,
  Out extends Schema,
  Id extends string,
  A1,
  B1,
  C1,
  D1,
  E1,
  F1,
  G1,
  H1,
  I1,
  J1,
  A = Absent,
  B = Absent,
  C = Absent,
  D = Absent,
  E = Absent,
  F = Absent,
  G = Absent,
  H = Absent,
  I = Absent,
  J = Absent,
>(
  config: WorkflowConfig<In, Out, Id> & Fitting<Last<[A, B, C, D, E, F, G, H, I, J], Absent>, Out> & NotRun,
  first?: Step<StepInput<In>, StepInput<In>, A, object, A1>,
  second?: Step<StepInput<In>, A, B, object & A1, B1>,
  third?: Step<StepInput<In>, B, C, object & A1 & B1, C1>,
  fourth?: Step<StepInput<In>, C, D, object & A1 & B1 & C1, D1>,
  fifth?: Step<StepInput<In>, D, E, object & A1 & B1 & C1 & D1, E1>,
  sixth?: Step<StepInput<In>, E, F, object & A1 & B1 & C1 & D1 & E1, F1>,
  seventh?: Step<StepInput<In>, F, G, object & A1 & B1 & C1 & D1 & E1 & F1, G1>,
  eighth?: Step<StepInput<In>, G, H, object & A1 & B1 & C1 & D1 & E1 & F1 & G1, H1>,
  ninth?: Step<StepInput<In>, H, I, object & A1 & B1 & C1 & D1 & E1 & F1 & G1 & H1, I1>,
  tenth?: Step<StepInput<In>, I, J, object & A1 & B1 & C1 & D1 & E1 & F1 & G1 & H1 & I1, J1>,
): Built<
  In,
  Out,
  Last<[A, B, C, D, E, F, G, H, I, J], StepInput<In>>,
  Id,
  object & A1 & B1 & C1 & D1 & E1 & F1 & G1 & H1 & I1 & J1
>
/**
 * Declares a workflow that is a function. It makes recorded calls by `step`: what they return is stored, and not repeated
 * when the function runs again, after a crash, a resume or a sleep.
 *
 * @example
 * const order = createWorkflow({
 *   id: 'order',
 *   inputSchema: z.object({ total: z.number() }),
 *   run: async ({ input, step }) => {
 *     const charge = await step.run('charge', ({ idempotencyKey }) => pay(input.total, { idempotencyKey }), { retries: 3 })
 *     await step.sleep('cool-down', '1h')
 *     return { paid: charge.id }
 *   },
 * })
 */
export function createWorkflow<
  In extends Schema,
  Result extends JsonResult<Result>,
  Out extends Schema,
  Id extends string,
>(config: FunctionConfig<In, Out, Id, Result>): FunctionWorkflow<CallerInput<In>, StepResult<Out, Result>, Id>
export function createWorkflow(config: WorkflowConfig, ...steps: (StepDefinition | undefined)[]): unknown {
  requireObject('createWorkflow', 'config', config)
  const given = steps.filter((step) => step !== undefined)
  for (const step of given)
    if (!isStep(step))
      throw new TypeError('createWorkflow(): steps must be made by functions such as andThen()')
  const declared = { ...config }
  return chain(declaredHere(declared, createWorkflow, asProblems(misspelledOptions(config, OPTIONS))), given)
}

const OPTIONS = {
  id: true,
  name: true,
  purpose: true,
  inputSchema: true,
  resultSchema: true,
  examples: true,
  suspendSchema: true,
  resumeSchema: true,
  retries: true,
  timeout: true,
  budgets: true,
  startedBy: true,
  resumableBy: true,
  concurrency: true,
  rateLimit: true,
  priority: true,
  on: true,
  cancelOn: true,
  debounce: true,
  onEnd: true,
  onError: true,
  run: true,
  uses: true,
} satisfies Record<keyof FunctionConfig, true>

addStepKinds(STEP_KINDS)

/** `config` is declared where the workflow is. */
function chain(config: WorkflowConfig, steps: readonly StepDefinition[]): object {
  const { id, name = id, purpose = '', ...options } = config
  const start = async (input: unknown, options: StartOptions = {}) =>
    currentServer('start()').start(id, input, options)
  const execute = async (input: unknown, options: StartOptions = {}) =>
    (await currentServer('execute()').start(id, input, options)).result()
  const workflow = {
    id,
    name,
    purpose,
    ...options,
    steps,
    // a function has no steps
    ...(!('run' in config) && chainMethods(steps, (next) => chain(config, next))),
    start,
    execute,
  }
  return Object.freeze(declaredAs(workflow, config))
}
