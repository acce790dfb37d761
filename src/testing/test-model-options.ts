import type { AgentModels } from '../agent/model-object.ts'

/** Models that agents have in tests instead of their own. */
export interface TestModelOptions {
  /**
   * Models by the ids of agents: those of the configuration, of steps and of functions that list them in `uses`, and
   * sub-agents. They replace the option `model` of the agent, and the models that its `prepareStep` returns.
   */
  readonly models?: Readonly<Record<string, AgentModels>>
  /** The model of all agents that `models` does not have. Default: their own. */
  readonly model?: AgentModels
}
