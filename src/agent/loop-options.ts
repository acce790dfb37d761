import type { ToolChoice } from '../contract/endpoints/agent.ts'
import type { Awaitable } from '../lib/async/awaitable.ts'
import type { AgentModels, ModelObject } from './model-object.ts'

export type { ToolChoice } from '../contract/endpoints/agent.ts'

/** A completed model call of an answer, with its tool calls: a step of the AI SDK, of which these members are listed here. */
export interface CompletedStep {
  /** Text of the step. */
  readonly text: string
  /** Reasoning of the model; missing when it has none. */
  readonly reasoningText: string | undefined
  /** Why the model stopped. */
  readonly finishReason: string
  /** Tokens of the step. */
  readonly usage: {
    /** Tokens of the prompt. */
    readonly inputTokens: number | undefined
    /** Tokens of the answer. */
    readonly outputTokens: number | undefined
  }
  /** Tool calls of the step. */
  readonly toolCalls: readonly {
    /** Id of the call. */
    readonly toolCallId: string
    /** Name of the tool. */
    readonly toolName: string
    /** Input of the tool. */
    readonly input: unknown
  }[]
  /** The results of the calls that succeeded. */
  readonly toolResults: readonly {
    /** Id of the call. */
    readonly toolCallId: string
    /** Name of the tool. */
    readonly toolName: string
    /** Result of the tool. */
    readonly output: unknown
  }[]
}

/** A message of the AI SDK (`ModelMessage`). */
export interface StepMessage {
  /** Role of the message. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  /** Content of the message. */
  // oxlint-disable-next-line typescript/no-explicit-any -- its type depends on the role, and on the version of the AI SDK
  readonly content: any
}

interface StepsSoFar {
  /** The completed steps of the answer, also those before it waited. */
  readonly steps: CompletedStep[]
}

/**
 * Whether an answer ends after its newest step. Called when the model has called tools and could be called again with
 * their results. The conditions of the AI SDK, such as `hasToolCall('done')`, are functions of this type.
 */
export type StopCondition = StopConditionMethod['check']

/** A method, whose parameter may be a step of the AI SDK in full. */
interface StopConditionMethod {
  check(state: StepsSoFar): PromiseLike<boolean> | boolean
}

/** The model call that `prepareStep` prepares. */
export interface PreparedStepInput extends StepsSoFar {
  /** The number of the call, from 0. An answer that waited continues counting. */
  readonly stepNumber: number
  /** Model of this call. */
  readonly model: Pick<ModelObject, 'provider' | 'modelId'>
  /** The messages that are sent to the model. */
  readonly messages: StepMessage[]
  /** Instructions of this model call. */
  readonly instructions: string
}

/** Settings of one model call. Omitted ones are those of the request or of the agent. */
export interface StepSettings {
  /** A model object, `'provider/model'`, or a list of them, as the option `model` of an agent. */
  readonly model?: AgentModels | undefined
  /** Whether the model must call a tool, and which. */
  readonly toolChoice?: ToolChoice | undefined
  /** Names of the tools that the model may call. */
  readonly activeTools?: readonly string[] | undefined
  /** The system prompt. */
  readonly instructions?: string | undefined
  /** The name of `instructions` in version 6 of the AI SDK. */
  readonly system?: string | undefined
  /** Replace the messages that are sent to the model. */
  readonly messages?: readonly StepMessage[] | undefined
  /** Sampling temperature. */
  readonly temperature?: number | undefined
  /** Maximum number of tokens of the answer. */
  readonly maxOutputTokens?: number | undefined
  /** Options of the provider, by its name. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined
}

/** Returns settings of the next model call. */
export type PrepareStep = PrepareStepMethod['prepare']

interface PrepareStepMethod {
  prepare(step: PreparedStepInput): Awaitable<StepSettings | undefined | void>
}

/** The options of an agent for the loop of model calls and tool calls. */
export interface LoopOptions {
  /**
   * Which tools the model calls: `auto` as it decides, `none`, `required` at least one, or `{ type: 'tool', toolName }`.
   * Applies to every model call of an answer. Default: `auto`.
   */
  readonly toolChoice?: ToolChoice
  /** The names of the tools that the model receives; `ask_<id>` is the tool of a sub-agent. Default: all. */
  readonly activeTools?: readonly string[]
  /**
   * Conditions that end an answer before `maxSteps` does: after tool calls, when one of them returns true. The answer
   * may then have no text, only tool calls and their results.
   */
  readonly stopWhen?: StopCondition | readonly StopCondition[]
  /** A function that is called before each model call, and may change its model, tools, instructions and messages. */
  readonly prepareStep?: PrepareStep
}

const TOOL_CHOICES: ReadonlySet<unknown> = new Set(['auto', 'none', 'required'])

/** The tool that a choice names. */
export function chosenTool(toolChoice: ToolChoice | undefined): string | undefined {
  return typeof toolChoice === 'object' ? toolChoice.toolName : undefined
}

/** The problems of the types of loop options. */
export function loopOptionProblems(options: { readonly [Name in keyof LoopOptions]?: unknown }): string[] {
  const { stopWhen, prepareStep } = options
  const conditions: readonly unknown[] = Array.isArray(stopWhen) ? stopWhen : [stopWhen]
  return [
    ...toolSettingProblems(options),
    ...(stopWhen === undefined || conditions.every((condition) => typeof condition === 'function')
      ? []
      : ['stopWhen must be a function, or a list of functions']),
    ...(prepareStep === undefined || typeof prepareStep === 'function'
      ? []
      : ['prepareStep must be a function']),
  ]
}

interface ToolSettings {
  readonly toolChoice?: unknown
  readonly activeTools?: unknown
}

/** The problems of the types of `toolChoice` and `activeTools`. */
export function toolSettingProblems({ toolChoice, activeTools }: ToolSettings): string[] {
  return [
    ...(toolChoice === undefined || TOOL_CHOICES.has(toolChoice) || isNamedTool(toolChoice)
      ? []
      : ["toolChoice must be 'auto', 'none', 'required' or { type: 'tool', toolName }"]),
    ...(activeTools === undefined ||
    (Array.isArray(activeTools) && activeTools.every((name) => typeof name === 'string'))
      ? []
      : ['activeTools must be an array of names of tools']),
  ]
}

function isNamedTool(choice: unknown): boolean {
  if (typeof choice !== 'object' || choice === null) return false
  const { type, toolName } = choice as Readonly<Record<string, unknown>>
  return type === 'tool' && typeof toolName === 'string'
}

/** Valid tool settings. */
export interface NamedTools {
  readonly toolChoice?: ToolChoice | undefined
  readonly activeTools?: readonly string[] | undefined
}

/**
 * The problems of the names in tool settings.
 *
 * @param names the tools to choose among
 */
export function toolNameProblems(
  { toolChoice, activeTools }: NamedTools,
  names: readonly string[],
): string[] {
  const chosen = chosenTool(toolChoice)
  const known = names.length === 0 ? 'it has none' : `its tools are ${names.join(', ')}`
  const unknown = (option: string, name: string) => `${option}: the agent has no tool "${name}"; ${known}`
  const missing = activeTools?.find((name) => !names.includes(name))
  if (missing !== undefined) return [unknown('activeTools', missing)]
  if (chosen === undefined) return []
  if (!names.includes(chosen)) return [unknown('toolChoice', chosen)]
  return activeTools === undefined || activeTools.includes(chosen)
    ? []
    : [`toolChoice: the tool "${chosen}" must be in activeTools`]
}
