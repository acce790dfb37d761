import type { Logger } from 'pino'
import type { Approvers } from '../../contract/access/callers.ts'
import type { User } from '../../contract/auth.ts'
import type { StepCalls } from '../../step/step-calls.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { JsonResult, Stored } from '../../lib/json/json-result.ts'
import type { Schema } from '../../lib/schema/schema.ts'
import { usesMember } from '../../lib/uses-member.ts'
import type { Elicit, Sample } from './elicitation.ts'

/** The second argument of a tool's `execute`. */
export interface ToolContext {
  /** Aborts when the caller cancels or disconnects, or on a timeout. */
  readonly signal: AbortSignal
  /** `options.context` of the call that started the agent or workflow. */
  readonly context: Readonly<Record<string, unknown>>
  /** Id of the user; missing when there is none. */
  readonly userId: string | undefined
  /** The authenticated user; `undefined` without an auth provider. */
  readonly user?: User | undefined
  /** Id of the conversation; missing outside of one. */
  readonly conversationId: string | undefined
  /** Logger whose records belong to the call. */
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
  /**
   * Sends a data part to those who stream the answer now. It is not recorded, and never reaches the model. At most 256 KiB of
   * JSON; a reader that is 1 MiB behind misses the oldest parts. For calls outside of an answer (`step.tool`, API and MCP
   * clients) it goes nowhere.
   *
   * @throws TypeError when the type does not begin with `data-`, or the data is not JSON; RangeError when it is too large; Error
   *   after the call has ended.
   * @example
   * write({ type: 'data-progress', id: 'pages', data: { done: 3, of: 10 } })
   */
  readonly write: <Data extends JsonResult<Data>>(part: DataPart<Data>) => void
  /** Receives each value that the generator of the tool yields. The server sets it. */
  readonly preliminary?: ((output: unknown) => void) | undefined
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

/** A data part of the AI SDK's UI message stream. */
export interface DataPart<Data = unknown> {
  /** Type of the part, starting with `data-`. */
  readonly type: `data-${string}`
  /** Data of the part. */
  readonly data: Data
  /** A later part with the same type and id takes its place in the message. */
  readonly id?: string
  /** It is not added to the message: only `onData` of the client receives it. */
  readonly transient?: boolean
}

/** The progress of a tool. */
export interface ToolProgress {
  /** Must increase with each report. */
  readonly progress: number
  /** The final value of `progress`, if known. */
  readonly total?: number
  /** Message for the client. */
  readonly message?: string
}

/** A function that agents, MCP clients and API clients can call. Created by `createTool`. */
export interface Tool<Input = unknown, Output = unknown> {
  /** Name of the tool. */
  readonly name: string
  /** What the tool does and when to use it. Models choose tools by it. */
  readonly description: string
  /** Schema of the input. */
  readonly inputSchema: Schema
  /** Schema of the result. */
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

/** A tool that the server executes. `Given` and `Result` are its input and output as callers see them. */
export interface ExecutableTool<
  Input = unknown,
  Output = unknown,
  Given = Input,
  Result = Output,
> extends Tool<Input, Output> {
  execute(input: Input, context: ToolContext): Output | Promise<Output>
  /**
   * Calls the tool from code that a server runs (routes, hooks, schedules, tools, steps, WebSocket handlers) or that has
   * opened the project: validates the input, executes the tool within a span, and validates the result. It is not recorded
   * in a step: `step.tool` records the result.
   *
   * @throws what the tool throws; ApprovalRequiredError when the call needs approval, unless `approve` is `true`; the reason
   *   of `signal`; otherwise an error with the `code` `invalid_input` naming the field, `execution_failed` when the result is
   *   not valid, and `unavailable` outside of a server
   *
   * @example
   * const { shippedAt } = await findOrder.run({ orderId: 7 }, { userId: 'ada' })
   */
  run(input: Given, options?: ToolRunOptions): Promise<Stored<Result>>
}

/** Options of `tool.run()`: what the function of the tool has in its context. */
export interface ToolRunOptions {
  /** Id of the user. */
  readonly userId?: string | undefined
  /** Id of the conversation. */
  readonly conversationId?: string | undefined
  /** Context data of the call. */
  readonly context?: Readonly<Record<string, unknown>> | undefined
  /** Aborts the call. In a step or tool, it also aborts with that. */
  readonly signal?: AbortSignal | undefined
  /** Whether your code approves a call that needs approval. Default: `false`. */
  readonly approve?: boolean | undefined
}

/** Whether the client executes the tool: its declaration has no `execute`. */
export function isClientTool(tool: Pick<Tool, 'execute'>): boolean {
  return tool.execute === undefined
}

/** Whether a tool makes recorded calls, as far as its code shows it. */
export function usesStep({ execute }: Pick<Tool, 'execute'>): boolean {
  return execute !== undefined && usesMember(execute, 1, ['step'])
}

/** Whether `value` was created by `createTool()` of this or another copy of the package. */
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
