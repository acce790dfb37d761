interface WorkflowTypes {
  readonly id: string
  readonly '~types'?: (input: never) => unknown
}

/** A configuration as the types of its workflows need it: the value of `defineConfig()`. */
export interface ConfigTypes {
  readonly workflows?: readonly WorkflowTypes[]
}

type WorkflowsOf<Config extends ConfigTypes> = NonNullable<Config['workflows']>[number]

/** The ids of the configuration's workflows; `string` when they are not known to the compiler. */
export type WorkflowId<Config extends ConfigTypes> = [WorkflowsOf<Config>] extends [never]
  ? string
  : WorkflowsOf<Config>['id']

type TypesOf<Config extends ConfigTypes, Id> = NonNullable<
  Extract<WorkflowsOf<Config>, { readonly id: Id }>['~types']
>

/** The input of a workflow, and its result. */
export type WorkflowInputOf<Config extends ConfigTypes, Id> =
  TypesOf<Config, Id> extends (input: infer Input) => unknown ? Input : never
export type WorkflowResultOf<Config extends ConfigTypes, Id> = ReturnType<TypesOf<Config, Id>>
