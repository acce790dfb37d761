import { requireObject } from '../../lib/require-object.ts'
import type { Logger } from 'pino'
import { approversProblem } from '../../contract/access/callers.ts'
import type { Approvers } from '../../contract/access/callers.ts'
import type { User } from '../../contract/auth.ts'
import type { StepCalls } from '../../step/step-calls.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { Awaitable } from '../../lib/async/awaitable.ts'
import type { IfJson, JsonResult } from '../../lib/json/json-result.ts'
import {
  type InferInput,
  type InferOutput,
  isSchema,
  type Schema,
  type StandardSchema,
} from '../../lib/schema/schema.ts'
import { usesMember } from '../../lib/uses-member.ts'
import { isText } from '../declaration.ts'
import type { Elicit, Sample } from './elicitation.ts'

/** The second argument of a tool's `execute`. */
export interface ToolContext {
  /** Aborts when the caller cancels or disconnects, or on a timeout. */
  readonly signal: AbortSignal
  /** `options.context` of the call that started the agent or workflow. */
  readonly context: Readonly<Record<string, unknown>>
  readonly userId: string | undefined
  /** The authenticated user; `undefined` without an auth provider. */
  readonly user?: User | undefined
  readonly conversationId: string | undefined
  readonly logger: Logger
  /**
   * Unique to this call of an agent's answer, and the same when the call is made again after a crash. Pass it to every
   * API that accepts an idempotency key. `undefined` for calls by API and MCP clients.
   */
  readonly idempotencyKey?: string | undefined
  /**
   * Recorded calls, for the parts of a long tool and for waits in its middle: what they return is stored, and not repeated
   * when the call is made again. Recorded are the calls by an answer with `resumable: true`, of the agent or of the request, by
   * an agent that a workflow asks with `andAgent` or `step.agent`, and by `step.tool`; elsewhere each member throws.
   */
  readonly step: StepCalls
  /** The span of this call, for use as the parent of further spans. */
  readonly trace?: TraceScope | undefined
  /** Reports progress. Defined only when the client requested it (MCP progress). */
  readonly reportProgress?: ((progress: ToolProgress) => void) | undefined
  /**
   * Requests a form from the user. Defined only in agents whose caller can respond, and when the client declared the
   * capability (MCP elicitation).
   */
  readonly elicit?: Elicit | undefined
  /**
   * Requests a completion: from the model of the agent that calls the tool, or from the model of the MCP client.
   * Defined only in agents, and when the client declared the capability (MCP sampling).
   */
  readonly sample?: Sample | undefined
}

/** The progress of a tool. */
export interface ToolProgress {
  /** Must increase with each report. */
  readonly progress: number
  /** The final value of `progress`, if known. */
  readonly total?: number
  readonly message?: string
}

/** A function that agents, MCP clients and API clients can call. Created by {@link createTool}. */
export interface Tool<Input = unknown, Output = unknown> {
  readonly name: string
  /** What the tool does and when to use it. Models choose tools by it. */
  readonly description: string
  readonly inputSchema: Schema
  readonly outputSchema?: Schema
  /** Whether a call needs approval by a person. Without approval the tool is not executed. */
  needsApproval(input: Input, context: ToolContext): boolean | Promise<boolean>
  /** Who may call it directly, and approve its calls. Missing in tools that older copies of the package made. */
  readonly access?: ToolAccess
  /** Problems of the declaration, reported when the configuration is loaded. */
  readonly problems: readonly string[]
  /** The function of the declaration, without validation. Undefined for tools that the client executes. */
  execute?(input: Input, context: ToolContext): Output | Promise<Output>
}

/** The declared access to a tool. */
export interface ToolAccess {
  /** Default: with an auth provider, by everyone if it never needs approval, else by operators. */
  readonly callable: boolean | undefined
  /** Whether calls of it may need approval. */
  readonly needsApproval: boolean
  /** Default: who may resume the run or the execution. */
  readonly approvedBy: Approvers | undefined
}

/** A tool that the server executes. */
export interface ExecutableTool<Input = unknown, Output = unknown> extends Tool<Input, Output> {
  execute(input: Input, context: ToolContext): Output | Promise<Output>
}

/** Whether the client executes the tool: its declaration has no `execute`. */
export function isClientTool(tool: Pick<Tool, 'execute'>): boolean {
  return tool.execute === undefined
}

/** Whether a tool makes recorded calls, as far as its code shows it. */
export function usesStep({ execute }: Pick<Tool, 'execute'>): boolean {
  return execute !== undefined && usesMember(execute, 1, ['step'])
}

/** The input of `execute`. A missing or misspelled `inputSchema` is the error then, not the parameters of `execute`. */
// oxlint-disable-next-line typescript/no-explicit-any -- see above
type ToolInput<In extends Schema> = Schema extends In ? any : InferOutput<In>

/** With an output schema the function returns the schema's input; a condition on the function keeps literal types. */
type Execute<In extends Schema, Out extends Schema, Result> = [Out] extends [StandardSchema]
  ? (input: ToolInput<In>, context: ToolContext) => Awaitable<Accepted<Out>>
  : (input: ToolInput<In>, context: ToolContext) => Awaitable<Result>

type Accepted<Out extends Schema> = IfJson<InferInput<Out>, InferInput<Out>>

/** The result of a tool's function with the output schema `Out`, before validation. */
type ToolResult<Out extends Schema, Result> = [Out] extends [StandardSchema] ? InferInput<Out> : Result

/** Whether the calls of a tool need approval. */
type When<In extends Schema> =
  | boolean
  | ((input: ToolInput<In>, context: ToolContext) => boolean | Promise<boolean>)

/** Options of {@link createTool}. */
export interface ToolConfig<In extends Schema = Schema, Out extends Schema = Schema, Result = unknown> {
  /** Unique per agent: a letter, then letters, digits, "_" and "-", at most 64 characters. */
  readonly name: string
  /** What the tool does and when to use it. Models choose tools by it. */
  readonly description: string
  /** A Standard Schema (zod, Valibot, ArkType, …) or a JSON Schema object. */
  readonly inputSchema: In
  readonly outputSchema?: Out | undefined
  /**
   * Whether a call needs approval by a person, or a function that decides it. `by` says who approves: `asker`, only the
   * user who asked the agent; `others`, every user but this one; `operators` (console key or development bypass). Default:
   * `false`.
   */
  readonly needsApproval?: When<In> | { readonly by: Approvers; readonly when?: When<In> }
  /**
   * Whether it can be called directly, over HTTP and MCP. `false`: only agents call it. Default: `true`; with an auth
   * provider, users can call a tool with `needsApproval` only if this is `true`.
   */
  readonly callable?: boolean
  readonly execute: Execute<In, Out, Result>
}

/** Options of {@link createTool} for a tool that the client executes. */
export interface ClientToolConfig<In extends Schema = Schema, Out extends Schema = Schema> extends Omit<
  ToolConfig<In, Out>,
  'execute' | 'needsApproval' | 'callable'
> {
  readonly execute?: undefined
}

/**
 * Declares a tool. The input is validated with `inputSchema` before `execute` is called. The result must be a JSON
 * value and is validated with `outputSchema`, if set. Problems of the declaration are not thrown, but reported when
 * the configuration is loaded.
 *
 * Without `execute` the client executes the calls, in `/chat` (`onToolCall` and `addToolOutput` of the AI SDK) and in
 * `andAgent` steps; its output is validated with `outputSchema`.
 *
 * @example
 * const weather = createTool({
 *   name: 'getWeather',
 *   description: 'Returns the current weather of a city',
 *   inputSchema: z.object({ city: z.string() }),
 *   execute: async ({ city }, { signal }) => fetchWeather(city, { signal }),
 * })
 */
export function createTool<In extends Schema, Out extends Schema = Schema>(
  config: ClientToolConfig<In, Out>,
): Tool<InferOutput<In>, InferInput<Out>>
export function createTool<In extends Schema, Result extends JsonResult<Result>, Out extends Schema = Schema>(
  config: ToolConfig<In, Out, Result>,
): ExecutableTool<InferOutput<In>, ToolResult<Out, Result>>
export function createTool(config: ToolConfig | ClientToolConfig): Tool {
  requireObject('createTool', 'config', config)
  const { name, description, inputSchema, outputSchema, execute } = config
  const { needsApproval, callable } = config as Partial<ToolConfig>
  const { by, when } = approvalOf(needsApproval)
  return Object.freeze({
    name,
    description,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    needsApproval: (input: unknown, context: ToolContext) =>
      typeof when === 'function' ? when(input, context) : when,
    access: Object.freeze({ callable, needsApproval: when !== false, approvedBy: by }),
    problems: Object.freeze(problemsOf(config)),
    ...(execute !== undefined && { execute }),
  })
}

/** Who approves the calls of a tool, and which; of declarations in JavaScript, too. */
function approvalOf(needsApproval: ToolConfig['needsApproval'] = false): {
  readonly by?: Approvers
  readonly when: When<Schema>
} {
  if (typeof needsApproval !== 'object' || needsApproval === null) return { when: needsApproval }
  return { by: needsApproval.by, when: needsApproval.when ?? true }
}

/** Whether `value` was created by {@link createTool} of this or another copy of the package. */
export function isTool(value: unknown): value is Tool {
  if (typeof value !== 'object' || value === null) return false
  const { needsApproval, problems } = value as Partial<Tool>
  return typeof needsApproval === 'function' && Array.isArray(problems)
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/** Whether all model providers accept `name` as a tool name. */
export function isToolName(name: unknown): name is string {
  return typeof name === 'string' && NAME.test(name)
}

function problemsOf(config: Readonly<Partial<Record<keyof ToolConfig, unknown>>>): string[] {
  const { name, description, inputSchema, outputSchema, needsApproval, callable, execute } = config
  const rules: readonly (readonly [boolean, string])[] = [
    [isToolName(name), 'the name must be a letter, then letters, digits, "_" and "-", at most 64 characters'],
    [isText(description), 'a description is required: models choose tools by it'],
    [
      isSchema(inputSchema),
      'inputSchema must be a Standard Schema (zod, Valibot, ArkType, …) or a JSON Schema object',
    ],
    [
      outputSchema === undefined || isSchema(outputSchema),
      'outputSchema must be a Standard Schema (zod, Valibot, ArkType, …) or a JSON Schema object',
    ],
    ...approvalRules(needsApproval),
    [callable === undefined || typeof callable === 'boolean', 'callable must be true or false'],
    [
      execute !== undefined || callable !== true,
      'callable requires execute: a client executes the calls of this tool',
    ],
    [execute === undefined || typeof execute === 'function', 'execute must be a function'],
    [
      execute !== undefined || needsApproval === undefined || needsApproval === false,
      'needsApproval requires execute: a client asks its user itself',
    ],
  ]
  return rules.filter(([kept]) => !kept).map(([, rule]) => rule)
}

function approvalRules(needsApproval: unknown): (readonly [boolean, string])[] {
  const isWhen = (value: unknown) =>
    value === undefined || typeof value === 'boolean' || typeof value === 'function'
  if (typeof needsApproval !== 'object' || needsApproval === null)
    return [[isWhen(needsApproval), 'needsApproval must be true, false, a function or { by, when }']]
  const { by, when, ...others } = needsApproval as Readonly<Record<string, unknown>>
  const [other] = Object.keys(others)
  const problem = approversProblem('needsApproval.by', by ?? null)
  return [
    [problem === undefined, problem ?? ''],
    [isWhen(when), 'needsApproval.when must be true, false or a function'],
    [other === undefined, `needsApproval has no option "${other}": it takes by and when`],
  ]
}
