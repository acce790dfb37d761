import type { ConfigTypes, WorkflowInputOf, WorkflowResultOf, WorkflowId } from './workflow-types.ts'

/**
 * Names the configuration of the project, once, so that `startWorkflow()`, `resumeExecution()`, `cancelExecution()` and
 * `getExecution()` know its workflows: their ids, inputs and results.
 *
 * @example
 * declare module 'agentserver' {
 *   interface Register {
 *     config: typeof config
 *   }
 * }
 */
// oxlint-disable-next-line typescript/no-empty-object-type, typescript/no-empty-interface -- projects add `config`
export interface Register {}

/** The configuration of the project; `undefined` unless it is registered. */
type Registered = Register extends { readonly config: infer Config extends ConfigTypes } ? Config : undefined

/** The ids of the project's workflows. */
export type RegisteredId = [Registered] extends [ConfigTypes] ? WorkflowId<Registered> : string

export type RegisteredInput<Id> = [Registered] extends [ConfigTypes]
  ? WorkflowInputOf<Registered, Id>
  : unknown

export type RegisteredResult<Id> = [Registered] extends [ConfigTypes]
  ? WorkflowResultOf<Registered, Id>
  : unknown
