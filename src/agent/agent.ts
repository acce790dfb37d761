import type { AgentHooks } from './hooks.ts'
import type { ModelObject } from './model-object.ts'
import type { ToolSource } from './tools/tool-source.ts'
import type { Tool } from './tools/tool.ts'

/** What an agent remembers of a conversation: earlier messages, the newest `contextLimit` of them. */
export interface MemoryOptions {
  /** How many earlier messages the model sees; 20 when left out. */
  readonly contextLimit?: number
}

export interface AgentConfig {
  /** Unique in the project; part of the URL. */
  readonly id: string
  readonly name: string
  /** What the agent is for, in a sentence. Agents that have it as a sub-agent choose by it. */
  readonly description?: string
  /** Told to other agents on its card; `1.0.0` when left out. */
  readonly version?: string
  /** The system prompt. */
  readonly instructions: string
  /** A model of the AI SDK, or `'provider/model'`. Left out, the environment decides. */
  readonly model?: ModelObject | string
  /** What `createTool()` made; and what `connectMcpServer()` made, for all the tools of that server. */
  readonly tools?: readonly (Tool | ToolSource)[]
  /** Agents this one may ask; it sees each as a tool named `ask_<id>`. */
  readonly subAgents?: readonly Agent[]
  /** Whether calls with a conversation id remember it; on when left out. */
  readonly memory?: boolean | MemoryOptions
  /** How often the model may be called for one answer, each round of tool calls counting once. 8 when left out. */
  readonly maxSteps?: number
  /** The longest that an answer may take, all steps and tools together, in milliseconds. 300,000 when left out. */
  readonly timeoutMs?: number
  readonly hooks?: AgentHooks
}

/** A declared agent. Immutable, but for the tools of connected servers. */
export interface Agent extends Readonly<
  Omit<AgentConfig, 'tools' | 'subAgents' | 'maxSteps' | 'timeoutMs' | 'hooks'>
> {
  /** Those it has now. */
  readonly tools: readonly Tool[]
  /** Connected servers whose tools are among them. */
  readonly toolSources: readonly ToolSource[]
  readonly subAgents: readonly Agent[]
  readonly maxSteps: number
  readonly timeoutMs: number
  readonly hooks: AgentHooks
  /** Rules this declaration breaks; reported when the configuration is loaded. */
  readonly problems: readonly string[]
}
