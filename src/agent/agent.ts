import type { ResolvedGuardrails } from './guardrails/declared-guardrails.ts'
import type { Guardrails } from './guardrails/guardrail.ts'
import type { AgentHooks } from './hooks.ts'
import type { ModelName, ModelObject } from './model-object.ts'
import type { AgentInput, PerRequest, PerRequestOption } from './per-request.ts'
import type { Awaitable } from '../lib/async/awaitable.ts'
import type { Schema } from '../lib/schema/schema.ts'
import type { ToolSource } from './tools/tool-source.ts'
import { isClientTool, usesStep } from './tools/tool.ts'
import type { Tool } from './tools/tool.ts'

/** Options of an agent's memory. */
export interface MemoryOptions {
  /** The maximum number of earlier messages of a conversation that the model receives. Default: 20. */
  readonly lastMessages?: number
  /** @deprecated The earlier name of `lastMessages`. */
  readonly contextLimit?: number
  /**
   * Whether the agent's model summarises the messages before the last ones, in the background, and receives the summary
   * with each request. Default: `false`.
   */
  readonly summary?: boolean
  /**
   * The schema of an object that the agent keeps for each user, over all conversations. The model receives it with each
   * request, and updates it by the tool `update_working_memory`. At most 16 KiB of JSON.
   */
  readonly workingMemory?: Schema
}

/** A model object of the AI SDK, or `'provider/model'`. */
export type AgentModel = ModelObject | ModelName

/** A model, or several: the next one is called when a provider is unavailable. */
export type AgentModels = AgentModel | readonly AgentModel[]

/** Tools, and connected MCP servers of which the agent uses all tools. */
export type AgentTools = readonly (Tool | ToolSource)[]

/** Options of `createAgent`. */
export interface AgentConfig {
  /** Unique in the project; part of the URL. */
  readonly id: string
  readonly name: string
  /** What the agent does, in one sentence. Other agents choose sub-agents by it. */
  readonly description?: string
  /** The version on the agent's A2A card. Default: `1.0.0`. */
  readonly version?: string
  /** The system prompt, or a function that returns it for a request. */
  readonly instructions: PerRequest<string>
  /**
   * A model object of the AI SDK, or `'provider/model'`. Of a list, the next model is called when the provider of one
   * cannot be reached, is overloaded or fails. May be a function of the request. Default: chosen by the environment
   * variables.
   */
  readonly model?: PerRequest<AgentModels>
  /** Tools, and connected MCP servers of which the agent uses all tools. May be a function of the request. */
  readonly tools?: PerRequest<AgentTools>
  /** Agents that this agent can call. Its model receives each as a tool named `ask_<id>`. */
  readonly subAgents?: readonly Agent[]
  /** Whether calls with a conversation id read and store the conversation. Default: `true`. */
  readonly memory?: boolean | MemoryOptions
  /** The maximum number of model calls per answer; each round of tool calls needs one more. Default: 8. */
  readonly maxSteps?: number
  /** The timeout of an answer with all its steps and tools, in milliseconds. Default: 300,000 (5 minutes). */
  readonly timeoutMs?: number
  /**
   * Whether answers survive their client and their process: they go on when the client disconnects, clients can resume
   * their streams, and after a crash they are continued behind the last recorded model answer or tool call. Default:
   * `false`; disconnecting aborts.
   */
  readonly resumable?: boolean
  readonly hooks?: AgentHooks
  /** Functions that check the input before the model is called, and the answer before the caller receives it. */
  readonly guardrails?: Guardrails
}

/** A declared agent. Immutable, except that the tools of connected MCP servers may change. */
export interface Agent extends Readonly<
  Omit<AgentConfig, 'tools' | 'subAgents' | 'maxSteps' | 'timeoutMs' | 'hooks' | 'guardrails'>
> {
  /** The current tools; empty when a function returns them. */
  readonly tools: readonly Tool[]
  /** The function that returns the tools of a request. */
  readonly toolsOf?: (request: AgentInput) => Awaitable<AgentTools>
  /** The connected MCP servers that provide some of the tools. */
  readonly toolSources: readonly ToolSource[]
  readonly subAgents: readonly Agent[]
  readonly maxSteps: number
  readonly timeoutMs: number
  readonly hooks: AgentHooks
  readonly guardrails: ResolvedGuardrails
  /** The options that are functions of the request. */
  readonly perRequest: readonly PerRequestOption[]
  /** Problems of the declaration, reported when the configuration is loaded. */
  readonly problems: readonly string[]
}

/** Whether `value` was created by `createAgent()` of this or another copy of the package. */
export function isAgent(value: unknown): value is Agent {
  return typeof value === 'object' && value !== null && 'instructions' in value && 'problems' in value
}

/** Whether an answer may wait: for the approval of a call, for the client, or for a user whom a tool asks. */
export function mayWait({ tools, toolsOf, toolSources, subAgents }: Agent): boolean {
  if (toolsOf || toolSources.length > 0) return true
  return (
    tools.some((tool) => isClientTool(tool) || tool.access?.needsApproval !== false || usesStep(tool)) ||
    subAgents.some((agent) => mayWait(agent))
  )
}

/** Whether tools of an answer of an agent, or of its sub-agents, may make recorded calls. */
export function mayMakeCalls(agent: Agent): boolean {
  const { tools, toolsOf, subAgents } = agent
  return (
    toolsOf !== undefined ||
    tools.some((tool) => usesStep(tool)) ||
    subAgents.some((one) => mayMakeCalls(one))
  )
}

/** Whether tools of an agent or of its sub-agents make recorded calls, as far as their code shows it. */
export function makesCalls({ tools, subAgents }: Agent): boolean {
  return tools.some((tool) => usesStep(tool)) || subAgents.some((agent) => makesCalls(agent))
}
