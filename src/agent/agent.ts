import type { Budget } from './budgets/budget.ts'
import type { ResolvedGuardrails } from './guardrails/declared-guardrails.ts'
import type { ForwardParts } from './answer/live/part-listener.ts'
import type { Guardrails } from './guardrails/guardrail.ts'
import type { Retriever } from './retriever.ts'
import type { AgentHooks } from './hooks.ts'
import type { GenerationSettings } from './generation-settings.ts'
import type { LoopOptions } from './loop-options.ts'
import type { AgentModels } from './model-object.ts'
import type { AgentInput, PerRequest, PerRequestOption } from './per-request.ts'
import type { Answer, AnswerInput, AnswerOptions, AnswerPart } from '../calls/answer.ts'
import type { StreamedAnswer } from '../calls/streamed-answer.ts'
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

/** Tools, and connected MCP servers of which the agent uses all tools. */
export type AgentTools = readonly (Tool | ToolSource)[]

/** Options of `createAgent`. */
export interface AgentConfig extends LoopOptions, GenerationSettings {
  /** Unique in the project; part of the URL. */
  readonly id: string
  /** Name for people. */
  readonly name: string
  /** What the agent does, in one sentence. Other agents choose sub-agents by it. */
  readonly description?: string
  /** Messages to try the agent with, at most 20: the console offers them, and the agent's A2A card has them. */
  readonly examples?: readonly string[]
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
  /**
   * Which parts of its sub-agents, at whatever depth, its streams (`/stream`, `/chat`, of an execution) have: `tools`, their tool
   * calls and results; `all`, also their text; `none`. Default: `tools`. Of a sub-agent it has no effect on the streams of the
   * agent that asks it.
   */
  readonly forwardParts?: ForwardParts
  /**
   * Finds documents for each request, which the model receives behind the instructions. They are stored with the run, which
   * continues with them.
   */
  readonly retriever?: Retriever
  /** Whether calls with a conversation id read and store the conversation. Default: `true`. */
  readonly memory?: boolean | MemoryOptions
  /** The maximum number of model calls per answer; each round of tool calls needs one more. Default: 8. */
  readonly maxSteps?: number
  /** The timeout of an answer with all its steps and tools, in milliseconds. Default: 300,000 (5 minutes). */
  readonly timeoutMs?: number
  /**
   * Whether answers survive their client and their process: they continue when the client disconnects, clients can resume
   * their streams, and after a crash they are continued behind the last recorded model answer or tool call. Default:
   * `false`; disconnecting aborts.
   */
  readonly resumable?: boolean
  /** Limits of what the model calls of the agent may use, with those of the agents that it asks. Default: none. */
  readonly budgets?: readonly Budget[]
  /** Functions called at moments of a run: start, tool calls, end. */
  readonly hooks?: AgentHooks
  /** Functions that check the input before the model is called, and the answer before the caller receives it. */
  readonly guardrails?: Guardrails
}

/** A declared agent. Immutable, except that the tools of connected MCP servers may change. */
export interface Agent extends Readonly<
  Omit<
    AgentConfig,
    'tools' | 'subAgents' | 'maxSteps' | 'timeoutMs' | 'hooks' | 'guardrails' | keyof GenerationSettings
  >
> {
  /** The settings of its model calls. */
  readonly settings: GenerationSettings
  /** The current tools; empty when a function returns them. */
  readonly tools: readonly Tool[]
  /** The function that returns the tools of a request. */
  readonly toolsOf?: (request: AgentInput) => Awaitable<AgentTools>
  /** The connected MCP servers that provide some of the tools. */
  readonly toolSources: readonly ToolSource[]
  /** Agents that this one can call as tools. */
  readonly subAgents: readonly Agent[]
  /** Maximum number of model calls in one run. */
  readonly maxSteps: number
  /** Maximum time of a run, in milliseconds. */
  readonly timeoutMs: number
  /** Functions called at moments of a run. */
  readonly hooks: AgentHooks
  /** Guardrails of the agent, resolved to lists. */
  readonly guardrails: ResolvedGuardrails
  /** The options that are functions of the request. */
  readonly perRequest: readonly PerRequestOption[]
  /** Problems of the declaration, reported when the configuration is loaded. */
  readonly problems: readonly string[]
  /**
   * Asks the agent for an answer, from code that a server runs (routes, hooks, schedules, tools, steps, WebSocket
   * handlers) or that has opened the project. With `schema` the answer has a typed `object`. Guardrails, hooks, memory,
   * history and costs are those of `POST /agents/:id/text`; the agent must be in the configuration. In a step or tool, the
   * answer is part of its trace, ends with it, and counts to the costs of the step. It is not recorded there: a step that
   * runs again asks again. `step.agent` records the answer.
   *
   * @throws ApprovalRequiredError when tool calls need approval, unless `resumable` is `true`; AnswerBlockedError when a
   *   guardrail blocks an answer with a schema; the reason of `signal`; otherwise an error with the `code` `invalid_input`
   *   naming the field, `not_found`, `execution_failed` when the model fails, and `unavailable` outside of a server
   *
   * @example
   * const { text } = await clerk.generate('Where is order 7?', { userId: 'ada' })
   * const { object } = await clerk.generate(mail, { schema: z.object({ urgent: z.boolean() }) })
   */
  generate<S extends Schema = Schema, Resumable extends boolean = false>(
    input: AnswerInput,
    options?: AnswerOptions<S, Resumable>,
  ): Promise<Answer<S, Resumable>>
  /**
   * Asks the agent for an answer part by part: an async iterable of the parts of `POST /agents/:id/stream` (with `schema`, of
   * `/stream-object`), whose `result` is what `generate` resolves with. Leaving the loop aborts the answer. Errors of the
   * call are thrown by the first part and by `result`.
   *
   * @example
   * const answer = clerk.stream('Where is order 7?')
   * for await (const part of answer) if (part.type === 'text-delta') process.stdout.write(part.text)
   * const { usage } = await answer.result
   */
  stream<S extends Schema = Schema, Resumable extends boolean = false>(
    input: AnswerInput,
    options?: AnswerOptions<S, Resumable>,
  ): StreamedAnswer<AnswerPart<S>, Answer<S, Resumable>>
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

/** Whether tools of an agent or of its sub-agents make recorded calls, as far as their code shows it. */
export function makesCalls({ tools, subAgents }: Agent): boolean {
  return tools.some((tool) => usesStep(tool)) || subAgents.some((agent) => makesCalls(agent))
}
