interface WorkflowTypes {
  /** Id of the workflow. */
  readonly id: string
  readonly '~types'?: (input: never) => unknown
}

interface ToolTypes {
  /** Name of the tool. */
  readonly name: string
  /** Runs the tool. */
  run?(input: never, options?: never): Promise<unknown>
}

/** A configuration as the types of clients need it: the value of `defineConfig()`. */
export interface ConfigTypes {
  /** Workflows of the configuration. */
  readonly workflows?: readonly WorkflowTypes[]
  /** Agents of the configuration. */
  readonly agents?: readonly {
    /** Id of the agent. */
    readonly id: string
  }[]
  /** Tools of the configuration. */
  readonly tools?: readonly ToolTypes[]
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

type AgentsOf<Config extends ConfigTypes> = NonNullable<Config['agents']>[number]

/** The ids of the configuration's agents; `string` when they are not known to the compiler. */
export type AgentId<Config extends ConfigTypes> = [AgentsOf<Config>] extends [never]
  ? string
  : AgentsOf<Config>['id']

type ToolsOf<Config extends ConfigTypes> = NonNullable<Config['tools']>[number]

/** The names of the configuration's tools. Those of agents and of connected servers are accepted as well. */
// oxlint-disable-next-line typescript/ban-types -- keeps the names from being absorbed, so that editors complete them
export type ToolName<Config extends ConfigTypes> = ToolsOf<Config>['name'] | (string & {})

type ToolOf<Config extends ConfigTypes, Name> = Extract<ToolsOf<Config>, { readonly name: Name }>

/** The input of a tool of the configuration, and its result; `unknown` for other tools. */
export type ToolInputOf<Config extends ConfigTypes, Name> = [ToolOf<Config, Name>] extends [
  { run(input: infer Input, options?: never): Promise<unknown> },
]
  ? Input
  : unknown
export type ToolResultOf<Config extends ConfigTypes, Name> = [ToolOf<Config, Name>] extends [
  { run(input: never, options?: never): Promise<infer Result> },
]
  ? Result
  : unknown
