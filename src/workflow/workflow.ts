import type { InferOutput, Schema } from '../lib/schema/schema.ts'
import type { Retries } from './retry.ts'
import type { TypedWorkflow } from './definition.ts'
import type { AndAgentConfig } from './steps/and-agent.ts'
import type { AndAllConfig } from './steps/and-all.ts'
import type { AndRaceConfig } from './steps/and-race.ts'
import type { AndTapConfig } from './steps/and-tap.ts'
import type { AndThenConfig } from './steps/and-then.ts'
import type { AndWhenConfig } from './steps/and-when.ts'
import type { AndWorkflowConfig } from './steps/and-workflow.ts'

export type MaybeSchema = Schema | undefined

/** Options of `createWorkflow`. */
export interface WorkflowConfig<In extends MaybeSchema = MaybeSchema, Out extends MaybeSchema = MaybeSchema> {
  /** Unique in the project; part of the URL. */
  readonly id: string
  readonly name?: string
  /** A one-sentence description. */
  readonly purpose?: string
  readonly inputSchema?: In & Schema
  readonly resultSchema?: Out & Schema
  /** The default `suspendSchema` of steps: the schema of the data that they pass to `suspend`. */
  readonly suspendSchema?: Schema
  /** The default `resumeSchema` of steps: the schema of the data that resume accepts. */
  readonly resumeSchema?: Schema
  /** The default retry policy of steps. */
  readonly retries?: Retries
}

export type Given<S extends MaybeSchema, Otherwise> = [S] extends [Schema] ? InferOutput<S> : Otherwise

/**
 * A workflow that accepts `Input`, passes `Parsed` (the output of its input schema) to its steps, and whose last step
 * returns `Data`. Immutable: each method returns a new workflow with one more step.
 */
export interface Workflow<Input, Parsed, Data, Out extends MaybeSchema = undefined> extends TypedWorkflow<
  Input,
  Given<Out, Data>
> {
  andThen<
    R,
    D extends MaybeSchema = undefined,
    S extends MaybeSchema = undefined,
    U extends MaybeSchema = undefined,
  >(
    config: AndThenConfig<Parsed, Data, R, D, S, U>,
  ): Workflow<Input, Parsed, R, Out>
  andWhen<R>(config: AndWhenConfig<Parsed, Data, R>): Workflow<Input, Parsed, Data | R, Out>
  andAll<R extends readonly unknown[] | []>(
    config: AndAllConfig<Parsed, Data, R>,
  ): Workflow<Input, Parsed, { -readonly [K in keyof R]: R[K] }, Out>
  andRace<R extends readonly unknown[] | []>(
    config: AndRaceConfig<Parsed, Data, R>,
  ): Workflow<Input, Parsed, R[number], Out>
  andTap(config: AndTapConfig<Parsed, Data>): Workflow<Input, Parsed, Data, Out>
  andAgent<S extends MaybeSchema = undefined, R = Given<S, { text: string }>>(
    config: AndAgentConfig<Parsed, Data, R, S>,
  ): Workflow<Input, Parsed, R, Out>
  andWorkflow<ChildInput, R>(
    config: AndWorkflowConfig<Parsed, Data, ChildInput, R>,
  ): Workflow<Input, Parsed, R, Out>
}
