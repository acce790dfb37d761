import type { Approvers } from '../../contract/access/callers.ts'
import { approversProblem } from '../../contract/access/callers.ts'
import type { Awaitable } from '../../lib/async/awaitable.ts'
import { declaredHere } from '../../lib/declared-at.ts'
import { asProblems } from '../../lib/found-problem.ts'
import type { IfJson, JsonResult } from '../../lib/json/json-result.ts'
import { requireObject } from '../../lib/require-object.ts'
import { isSchema } from '../../lib/schema/schema.ts'
import type { InferInput, InferOutput, Schema, StandardSchema } from '../../lib/schema/schema.ts'
import { misspelledOptions } from '../../lib/unknown-option.ts'
import { isText } from '../declaration.ts'
import { callToolForCode } from './call-tool-for-code.ts'
import { lastResult } from './tool-span.ts'
import { isToolName } from './tool.ts'
import type { ExecutableTool, Tool, ToolContext, ToolRunOptions } from './tool.ts'

/** The input of `execute`. A missing or misspelled `inputSchema` is the error then, not the parameters of `execute`. */
// oxlint-disable-next-line typescript/no-explicit-any -- see above
type ToolInput<In extends Schema> = Schema extends In ? any : InferOutput<In>

/** With an output schema the function returns the schema's input; a condition on the function keeps literal types. */
type Execute<In extends Schema, Out extends Schema, Result> = [Out] extends [StandardSchema]
  ? (input: ToolInput<In>, context: ToolContext) => Executed<Accepted<Out>>
  : (input: ToolInput<In>, context: ToolContext) => Executed<Result>

/** A result, or a generator of preliminary results, of which the last one is the result. */
type Executed<Result> = Awaitable<Result> | AsyncIterable<Result, void>

type Accepted<Out extends Schema> = IfJson<InferInput<Out>, InferInput<Out>>

/** The result of a tool's function with the output schema `Out`, before validation. */
type ToolResult<Out extends Schema, Result> = [Out] extends [StandardSchema] ? InferInput<Out> : Result

/** The input of a call, before validation. */
// oxlint-disable-next-line typescript/no-explicit-any -- as that of `execute`
type GivenInput<In extends Schema> = Schema extends In ? any : InferInput<In>

/** The result of a call, after validation. */
type ValidResult<Out extends Schema, Result> = [Out] extends [StandardSchema] ? InferOutput<Out> : Result

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
  /** Schema of the result. */
  readonly outputSchema?: Out | undefined
  /**
   * Whether a call needs approval by a person, or a function that decides it. `by` says who approves: `asker`, only the
   * user who asked the agent; `others`, every user but this one; `operators` (console key or development bypass). Default:
   * `false`.
   */
  readonly needsApproval?:
    | When<In>
    | {
        /** Who may approve. */
        readonly by: Approvers
        /** Whether a call needs approval. Default: every call. */
        readonly when?: When<In>
      }
  /**
   * Whether it can be called directly, over HTTP and MCP. `false`: only agents call it. Default: `true`; with an auth
   * provider, users can call a tool with `needsApproval` only if this is `true`.
   */
  readonly callable?: boolean
  /** Runs the tool; the result must be JSON. */
  readonly execute: Execute<In, Out, Result>
}

/** Options of {@link createTool} for a tool that the client executes. */
export interface ClientToolConfig<In extends Schema = Schema, Out extends Schema = Schema> extends Omit<
  ToolConfig<In, Out>,
  'execute' | 'needsApproval' | 'callable'
> {
  /** Missing: the client runs the tool. */
  readonly execute?: undefined
}

/**
 * Declares a tool. The input is validated with `inputSchema` before `execute` is called. The result must be a JSON
 * value and is validated with `outputSchema`, if set. Problems of the declaration are not thrown, but reported when
 * the configuration is loaded. With `async function*` each value is a preliminary result, for those who stream the answer, and
 * the last one is the result.
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
export function createTool<In extends Schema, const Name extends string, Out extends Schema = Schema>(
  config: ClientToolConfig<In, Out> & {
    /** Unique in the project; models call the tool by it. */
    readonly name: Name
  },
): Tool<InferOutput<In>, InferInput<Out>> & {
  /** Unique in the project; models call the tool by it. */
  readonly name: Name
}
export function createTool<
  In extends Schema,
  Result extends JsonResult<Result>,
  const Name extends string,
  Out extends Schema = Schema,
>(
  config: ToolConfig<In, Out, Result> & {
    /** Unique in the project; models call the tool by it. */
    readonly name: Name
  },
): ExecutableTool<InferOutput<In>, ToolResult<Out, Result>, GivenInput<In>, ValidResult<Out, Result>> & {
  readonly name: Name
}
export function createTool(config: ToolConfig | ClientToolConfig): Tool {
  requireObject('createTool', 'config', config)
  const { name, description, inputSchema, outputSchema, execute } = config
  const { needsApproval, callable } = config as Partial<ToolConfig>
  const { by, when } = approvalOf(needsApproval)
  const problems = problemsOf(config)
  const tool = {
    name,
    description,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    needsApproval: (input: unknown, context: ToolContext) =>
      typeof when === 'function' ? when(input, context) : when,
    access: Object.freeze({ callable, needsApproval: when !== false, approvedBy: by }),
    problems: Object.freeze(problems),
    ...(execute !== undefined && {
      execute: isGenerator(execute) ? withLastResult(execute as AnyExecute) : execute,
    }),
    run: (input: unknown, options?: ToolRunOptions) => callToolForCode(tool, input, options),
  }
  return Object.freeze(declaredHere(tool, createTool, asProblems(problems)))
}

type AnyExecute = (input: unknown, context: ToolContext) => unknown

/** Whether it is declared as `async function*`. The source of other functions says what of their context they use. */
function isGenerator(execute: unknown): boolean {
  return Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]'
}

/** Who calls the tool itself, for example in a test, gets its result like that of any other tool. */
function withLastResult(execute: AnyExecute): AnyExecute {
  return (input, context) => lastResult(execute(input, context) as AsyncIterable<unknown>, context)
}

/** Who approves the calls of a tool, and which; of declarations in JavaScript, too. */
function approvalOf(needsApproval: ToolConfig['needsApproval'] = false): {
  readonly by?: Approvers
  readonly when: When<Schema>
} {
  if (typeof needsApproval !== 'object' || needsApproval === null) return { when: needsApproval }
  return { by: needsApproval.by, when: needsApproval.when ?? true }
}

const OPTIONS = {
  name: true,
  description: true,
  inputSchema: true,
  outputSchema: true,
  needsApproval: true,
  callable: true,
  execute: true,
} satisfies Record<keyof ToolConfig, true>

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
  return [...misspelledOptions(config, OPTIONS), ...rules.filter(([kept]) => !kept).map(([, rule]) => rule)]
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
