import type { Logger } from 'pino'
import type { User } from '../../contract/auth.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import { type InferInput, type InferOutput, isSchema, type Schema } from '../../lib/schema/schema.ts'
import type { Elicit, Sample } from './elicitation.ts'

/** What a tool's function gets beside its input. */
export interface ToolContext {
  /** Aborts when nobody waits for the tool any more. */
  readonly signal: AbortSignal
  /** `options.context` of the call that led here. */
  readonly context: Readonly<Record<string, unknown>>
  readonly userId: string | undefined
  /** Who asked, where an auth provider told it. */
  readonly user?: User | undefined
  readonly conversationId: string | undefined
  readonly logger: Logger
  /** The span of this call: what the tool asks of others goes below it. */
  readonly trace?: TraceScope | undefined
  /** Tells how far it is; there when the caller wants to know, as MCP clients may. */
  readonly reportProgress?: ((progress: Progress) => void) | undefined
  /** Asks the person behind the caller; there when the caller can, as some MCP clients can. */
  readonly elicit?: Elicit | undefined
  /** Has the caller's model answer; there when the caller lets it, as some MCP clients do. */
  readonly sample?: Sample | undefined
}

/** How far something is that takes its time. */
export interface Progress {
  /** Grows from report to report. */
  readonly progress: number
  /** What `progress` ends at, where that is known. */
  readonly total?: number
  readonly message?: string
}

/** A function that agents, MCP clients and callers of the API may run. Made by {@link createTool}. */
export interface Tool<Input = unknown, Output = unknown> {
  readonly name: string
  /** What it does and when to use it: models choose by it. */
  readonly description: string
  readonly inputSchema: Schema
  readonly outputSchema?: Schema
  /** Whether a person has to agree before it runs. Where nobody can be asked, the tool then does not run. */
  needsApproval(input: Input, context: ToolContext): boolean | Promise<boolean>
  /** Rules this declaration breaks; reported when the configuration is loaded. */
  readonly problems: readonly string[]
  /** The user's function, unchecked. */
  execute(input: Input, context: ToolContext): Output | Promise<Output>
}

type Fits<Out extends Schema | undefined> = [Out] extends [Schema] ? InferInput<Out> : unknown

export interface ToolConfig<
  In extends Schema = Schema,
  Out extends Schema | undefined = undefined,
  Result = unknown,
> {
  /** Unique among an agent's tools: a letter, then letters, digits, "_" and "-", at most 64 characters. */
  readonly name: string
  readonly description: string
  readonly inputSchema: In
  readonly outputSchema?: (Out & Schema) | undefined
  readonly needsApproval?:
    | boolean
    | ((input: InferOutput<In>, context: ToolContext) => boolean | Promise<boolean>)
  readonly execute: (
    input: InferOutput<In>,
    context: ToolContext,
  ) => (Result & Fits<Out>) | Promise<Result & Fits<Out>>
}

/**
 * Declares a tool. Its input is checked against `inputSchema` before `execute` is called; what `execute`
 * returns must be JSON, and is checked against `outputSchema` when there is one.
 */
export function createTool<In extends Schema, Out extends Schema | undefined = undefined, Result = unknown>(
  config: ToolConfig<In, Out, Result>,
): Tool<InferOutput<In>, Result> {
  const { name, description, inputSchema, outputSchema, needsApproval = false, execute } = config
  return Object.freeze({
    name,
    description,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    needsApproval: (input: InferOutput<In>, context: ToolContext) =>
      typeof needsApproval === 'function' ? needsApproval(input, context) : needsApproval,
    problems: Object.freeze(problemsOf(config)),
    execute,
  })
}

/** Whether `value` was made by {@link createTool}, of this or another copy of the package. */
export function isTool(value: unknown): value is Tool {
  if (typeof value !== 'object' || value === null) return false
  const { execute, problems } = value as Partial<Tool>
  return typeof execute === 'function' && Array.isArray(problems)
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/** Whether every model provider takes `name` as a tool's name. */
export function isToolName(name: unknown): name is string {
  return typeof name === 'string' && NAME.test(name)
}

function problemsOf(config: Readonly<Partial<Record<keyof ToolConfig, unknown>>>): string[] {
  const { name, description, inputSchema, outputSchema, needsApproval, execute } = config
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
    [
      needsApproval === undefined ||
        typeof needsApproval === 'boolean' ||
        typeof needsApproval === 'function',
      'needsApproval must be true, false or a function',
    ],
    [typeof execute === 'function', 'execute must be a function'],
  ]
  return rules.filter(([kept]) => !kept).map(([, rule]) => rule)
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}
