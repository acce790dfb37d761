import type { InferInput, Schema } from '../lib/schema.ts'
import type { Step, StepDefinition } from './step.ts'
import { STEP_KINDS } from './steps/index.ts'
import type { Given, MaybeSchema, Workflow, WorkflowConfig } from './workflow.ts'

type CallerInput<S extends MaybeSchema> = [S] extends [Schema] ? InferInput<S> : Record<string, unknown>
type StepInput<S extends MaybeSchema> = Given<S, Record<string, unknown>>
type Built<In extends MaybeSchema, Out extends MaybeSchema, Data> = Workflow<
  CallerInput<In>,
  StepInput<In>,
  Data,
  Out
>

/**
 * Declares a workflow. Add steps by chaining (`.andThen({...})`) or hand them in, which is the same thing:
 * `createWorkflow({ id: 'order' }, andThen({...}), andTap({...}))`.
 */
export function createWorkflow<In extends MaybeSchema = undefined, Out extends MaybeSchema = undefined>(
  config: WorkflowConfig<In, Out>,
): Built<In, Out, StepInput<In>>
export function createWorkflow<
  In extends MaybeSchema = undefined,
  Out extends MaybeSchema = undefined,
  A = unknown,
>(config: WorkflowConfig<In, Out>, first: Step<StepInput<In>, StepInput<In>, A>): Built<In, Out, A>
export function createWorkflow<
  In extends MaybeSchema = undefined,
  Out extends MaybeSchema = undefined,
  A = unknown,
  B = unknown,
>(
  config: WorkflowConfig<In, Out>,
  first: Step<StepInput<In>, StepInput<In>, A>,
  second: Step<StepInput<In>, A, B>,
): Built<In, Out, B>
export function createWorkflow<
  In extends MaybeSchema = undefined,
  Out extends MaybeSchema = undefined,
  A = unknown,
  B = unknown,
  C = unknown,
>(
  config: WorkflowConfig<In, Out>,
  first: Step<StepInput<In>, StepInput<In>, A>,
  second: Step<StepInput<In>, A, B>,
  third: Step<StepInput<In>, B, C>,
): Built<In, Out, C>
export function createWorkflow<
  In extends MaybeSchema = undefined,
  Out extends MaybeSchema = undefined,
  A = unknown,
  B = unknown,
  C = unknown,
  D = unknown,
>(
  config: WorkflowConfig<In, Out>,
  first: Step<StepInput<In>, StepInput<In>, A>,
  second: Step<StepInput<In>, A, B>,
  third: Step<StepInput<In>, B, C>,
  fourth: Step<StepInput<In>, C, D>,
): Built<In, Out, D>
export function createWorkflow<
  In extends MaybeSchema = undefined,
  Out extends MaybeSchema = undefined,
  A = unknown,
  B = unknown,
  C = unknown,
  D = unknown,
  E = unknown,
>(
  config: WorkflowConfig<In, Out>,
  first: Step<StepInput<In>, StepInput<In>, A>,
  second: Step<StepInput<In>, A, B>,
  third: Step<StepInput<In>, B, C>,
  fourth: Step<StepInput<In>, C, D>,
  fifth: Step<StepInput<In>, D, E>,
  ...more: Step<StepInput<In>, never>[]
): Built<In, Out, E>
export function createWorkflow(config: WorkflowConfig, ...steps: StepDefinition[]): unknown {
  return chain(config, steps)
}

function chain(config: WorkflowConfig, steps: readonly StepDefinition[]): object {
  const { id, name = id, purpose = '', ...schemas } = config
  const kinds = Object.entries(STEP_KINDS) as [string, (options: never) => StepDefinition][]
  const methods = kinds.map(([kind, build]) => [
    kind,
    (options: never) => chain(config, [...steps, build(options)]),
  ])
  return Object.freeze({ id, name, purpose, ...schemas, steps, ...Object.fromEntries(methods) })
}
