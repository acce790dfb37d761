import type { AgentHooks } from './hooks.ts'
import type { ModelName, ModelObject } from './model-object.ts'
import type { ToolSource } from './tools/tool-source.ts'
import type { Tool } from './tools/tool.ts'

/** Options of an agent's memory: how much of a conversation the model receives. */
export interface MemoryOptions {
  /** The maximum number of earlier messages that the model receives. Default: 20. */
  readonly contextLimit?: number
}

/** Options of `createAgent`. */
export interface AgentConfig {
  /** Unique in the project; part of the URL. */
  readonly id: string
  readonly name: string
  /** What the agent does, in one sentence. Other agents choose sub-agents by it. */
  readonly description?: string
  /** The version on the agent's A2A card. Default: `1.0.0`. */
  readonly version?: string
  /** The system prompt. */
  readonly instructions: string
  /** A model object of the AI SDK, or `'provider/model'`. Default: chosen by the environment variables. */
  readonly model?: ModelObject | ModelName
  /** Tools, and connected MCP servers of which the agent uses all tools. */
  readonly tools?: readonly (Tool | ToolSource)[]
  /** Agents that this agent can call. Its model receives each as a tool named `ask_<id>`. */
  readonly subAgents?: readonly Agent[]
  /** Whether calls with a conversation id read and store the conversation. Default: `true`. */
  readonly memory?: boolean | MemoryOptions
  /** The maximum number of model calls per answer; each round of tool calls needs one more. Default: 8. */
  readonly maxSteps?: number
  /** The timeout of an answer with all its steps and tools, in milliseconds. Default: 300,000 (5 minutes). */
  readonly timeoutMs?: number
  readonly hooks?: AgentHooks
}

/** A declared agent. Immutable, except that the tools of connected MCP servers may change. */
export interface Agent extends Readonly<
  Omit<AgentConfig, 'tools' | 'subAgents' | 'maxSteps' | 'timeoutMs' | 'hooks'>
> {
  /** The current tools. */
  readonly tools: readonly Tool[]
  /** The connected MCP servers that provide some of the tools. */
  readonly toolSources: readonly ToolSource[]
  readonly subAgents: readonly Agent[]
  readonly maxSteps: number
  readonly timeoutMs: number
  readonly hooks: AgentHooks
  /** Problems of the declaration, reported when the configuration is loaded. */
  readonly problems: readonly string[]
}

/** Whether `value` was created by `createAgent()` of this or another copy of the package. */
export function isAgent(value: unknown): value is Agent {
  return typeof value === 'object' && value !== null && 'instructions' in value && 'problems' in value
}
