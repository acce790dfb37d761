import type * as Ai from 'ai'
import type { Usage } from '../../contract/agent-event.ts'
import { BREAKPOINT, EVERY_STEP } from '../../contract/breakpoints/breakpoint.ts'
import { AppError } from '../../lib/errors.ts'
import { redactError } from '../../lib/redact/error-text.ts'
import { compileSchema } from '../../lib/schema/schema.ts'
import { NO_TRACE } from '../../lib/telemetry/trace-scope.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { ApprovedSuspendOptions } from '../../step/step-calls.ts'
import type { Agent } from '../agent.ts'
import type { SettledCall } from '../answer/generated.ts'
import type { CallRecord, RecordedCalls, RecordedToolCall } from '../answer/journal/recorded-calls.ts'
import { HeardCall, reportsOf } from '../answer/live/heard-call.ts'
import type { PartListener } from '../answer/live/part-listener.ts'
import { SuspendedAnswer } from '../answer/waiting/pending-calls.ts'
import type { Waits } from '../answer/waiting/pending-calls.ts'
import type { ResumedAnswer } from '../answer/waiting/resumed-answer.ts'
import type { ResolvedAgent } from '../resolve-agent.ts'
import { subAgentToolName } from '../sub-agent.ts'
import { executeTool, SubAgentClientToolError, validateInput } from './call-tool.ts'
import type { HeldCalls, HoldableCall } from './held-calls.ts'
import { toModelOutput } from './model-output.ts'
import { withToolSpan } from './tool-span.ts'
import { isClientTool } from './tool.ts'
import type { Tool, ToolContext } from './tool.ts'

interface ToolDeps {
  readonly ai: typeof Ai
  readonly context: ToolContext
  readonly callSubAgent: CallSubAgentTool
  /** Returns the text of a sub-agent's answer, and counts its usage. */
  readonly readSubAgent: (answer: SubAgentAnswer) => SubAgentAnswer['text']
  /** The id of the run, of which the idempotency keys of its calls are made. */
  readonly runId?: string | undefined
  /** Receives the live parts of the calls. */
  readonly listener?: PartListener | undefined
  /** Records the calls, and those that they make. */
  readonly calls?: RecordedCalls | undefined
  /** The tools before whose calls it waits; `*`: all. */
  readonly pauseAt?: readonly string[] | undefined
  /** Redacts secrets in error messages. */
  readonly redact: (text: string) => string
  readonly waits: Waits
  /** Set when the answer continues after it waited. */
  readonly resumed?: ResumedAnswer | undefined
  /** Holds the calls that wait for forms. */
  readonly held?: HeldCalls | undefined
  /** Called when a call waits. */
  readonly onSuspended: () => void
  /** Fails the answer with an error that is not for the model. */
  readonly fail: (error: SubAgentClientToolError) => never
}

/** The answer of a sub-agent. */
export interface SubAgentAnswer {
  readonly text: string | SuspendedAnswer
  readonly usage: Usage
  /** Its calls that waited, when it continued. */
  readonly settled?: readonly SettledCall[] | undefined
}

type CallSubAgentTool = (
  agent: Agent,
  request: {
    readonly prompt: string
    readonly trace: TraceScope
    readonly toolCallId: string
    readonly requestKey: string | undefined
    readonly calls: RecordedCalls | undefined
  },
) => Promise<SubAgentAnswer>

/**
 * The agent's tools and sub-agents as tools of the AI SDK. Errors are returned to the model as the tool result, without
 * secrets: the model may repeat them in its answer.
 */
export function sdkTools(agent: ResolvedAgent, deps: ToolDeps): Ai.ToolSet {
  const { runId, resumed } = deps
  const approved = new Set(resumed?.executed)
  const observed: Observe = (call, body, resultOf) => {
    const { toolCallId: id } = call
    const idempotencyKey = runId === undefined ? undefined : `${runId}:${id}`
    const observe = (record?: CallRecord, input = call.input) =>
      observeCall({ agent, deps, idempotencyKey, record, ...call, input }, body, resultOf)
    const { calls, context, pauseAt } = deps
    const paused = (record: CallRecord) =>
      hasBreakpoint(call.toolName, pauseAt)
        ? waitAtBreakpoint(call, record).then((input) => observe(record, input))
        : observe(record)
    const made = calls ? calls.make({ ...call, signal: context.signal }, paused) : observe()
    return made.catch(throwPlain)
  }
  const tools = agent.tools.map(
    (tool) => [tool.name, sdkTool(tool, { ...deps, approved, agentId: agent.id }, observed)] as const,
  )
  const subAgents = agent.subAgents.map(
    (subAgent) =>
      [
        subAgentToolName(subAgent),
        sdkSubAgent(subAgent, { ...deps, approved, agentId: agent.id }, observed),
      ] as const,
  )
  return Object.fromEntries([...tools, ...subAgents])
}

interface CallDeps extends ToolDeps {
  /** The ids of the calls that are made now, because they were approved. Each counts once: some models repeat theirs. */
  readonly approved: Set<string>
  readonly agentId: string
}

/** Makes a call, within its span and hooks, unless its result is recorded. */
type Observe = (
  call: Omit<ObservedCall, 'agent' | 'deps' | 'idempotencyKey' | 'record'>,
  body: Body,
  /** The result of the call, of what `body` returns. Default: that. */
  resultOf?: ResultOf,
) => Promise<unknown>

type ResultOf = (output: unknown) => unknown

function sdkTool(tool: Tool, deps: CallDeps, observed: Observe): Ai.ToolSet[string] {
  const { ai, waits, context, approved, agentId, fail, calls } = deps
  const { name: toolName, description } = tool
  const inputSchema = ai.jsonSchema(compileSchema(tool.inputSchema).input)
  const output = { toModelOutput: ({ output }: { output: unknown }) => toModelOutput(output) }
  if (isClientTool(tool) && waits.clientTools) return ai.tool({ description, inputSchema, ...output })
  const isRecorded = (id: string) => calls?.has(id) ?? false
  const decisions = new ApprovalDecisions(tool, { waits, context, approved, isRecorded })
  const execute = (input: unknown, { toolCallId }: SdkCallOptions) =>
    observed({ toolName, description, input, toolCallId }, async (context, _trace, _calls, given) => {
      if (isClientTool(tool) && waits.askedBy !== undefined)
        fail(new SubAgentClientToolError({ askedBy: waits.askedBy, subAgent: agentId, tool: toolName }))
      const validInput = await validateInput(tool, given)
      if (await decisions.mustWait(toolCallId, validInput))
        throw new AppError(
          'forbidden',
          `Tool "${toolName}" needs approval, which an agent cannot request here`,
        )
      const call = { agentId, toolName, toolCallId, input: validInput, context }
      return executeHoldable(call, deps, (of) => executeTool(tool, validInput, of))
    })
  const needsApproval = (input: unknown, { toolCallId }: SdkCallOptions) =>
    decisions.requestsApproval(toolCallId, input)
  return ai.tool({ description, inputSchema, execute, needsApproval, ...output })
}

/** Executes a call, or continues the one that waited for a form. */
async function executeHoldable(
  call: HoldableCall,
  { held, waits, resumed, onSuspended }: CallDeps,
  execute: (context: ToolContext) => Promise<unknown>,
): Promise<unknown> {
  const { context, toolCallId } = call
  if (!held || !waits.approvals) return execute(context)
  const waiting = resumed?.subAgents.find((one) => one.toolCallId === toolCallId)
  const output = await (waiting
    ? held.resume(waiting.runId, context, resumed?.responses.approvals ?? [])
    : held.start(call, execute))
  if (output instanceof SuspendedAnswer) onSuspended()
  return output
}

function sdkSubAgent(subAgent: Agent, deps: CallDeps, observed: Observe): Ai.ToolSet[string] {
  const { ai, approved } = deps
  const toolName = subAgentToolName(subAgent)
  const description = subAgent.description ?? `Asks the agent "${subAgent.name}"`
  const execute = async ({ prompt }: { prompt: string }, { toolCallId }: SdkCallOptions) => {
    approved.delete(toolCallId)
    const answer = await observed(
      { toolName, description, input: { prompt }, toolCallId },
      ({ idempotencyKey: requestKey }, trace, calls, given) => {
        const asked = (given as { readonly prompt?: unknown }).prompt
        return deps.callSubAgent(subAgent, {
          prompt: typeof asked === 'string' ? asked : prompt,
          trace,
          toolCallId,
          requestKey,
          calls,
        })
      },
      (answer) => (answer as SubAgentAnswer).text,
    )
    return deps.readSubAgent(answer as SubAgentAnswer)
  }
  // a sub-agent that waited for approvals is called again with them
  const needsApproval = (_: unknown, { toolCallId }: SdkCallOptions) => approved.has(toolCallId)
  return ai.tool({ description, inputSchema: promptSchema(ai), execute, needsApproval })
}

function promptSchema(ai: typeof Ai): Ai.Schema<{ prompt: string }> {
  return ai.jsonSchema<{ prompt: string }>(
    {
      type: 'object',
      properties: {
        prompt: { type: 'string', description: 'The question, with all context that is needed to answer it' },
      },
      required: ['prompt'],
      additionalProperties: false,
    },
    {
      validate: (value) =>
        typeof value === 'object' && value !== null && 'prompt' in value && typeof value.prompt === 'string'
          ? { success: true, value: { prompt: value.prompt } }
          : { success: false, error: new AppError('invalid_input', 'input.prompt: must be a string') },
    },
  )
}

interface ObservedCall {
  readonly agent: ResolvedAgent
  readonly deps: ToolDeps
  readonly toolName: string
  readonly description: string
  readonly input: unknown
  readonly toolCallId: string
  readonly idempotencyKey: string | undefined
  readonly record: CallRecord | undefined
}

/** The options that the AI SDK passes to a tool. */
type SdkCallOptions = Pick<Ai.ToolExecutionOptions, 'toolCallId'>

type Body = (
  context: ToolContext,
  trace: TraceScope,
  calls: RecordedCalls | undefined,
  /** Its arguments, which may have been edited at a breakpoint. */
  input: unknown,
) => Promise<unknown>

/** Runs `body` within a span and the agent's tool hooks. The error that it throws is redacted. */
async function observeCall(
  observation: ObservedCall,
  body: Body,
  resultOf: ResultOf = (output) => output,
): Promise<unknown> {
  const { agent, deps, toolName, toolCallId, input } = observation
  const { listener, runId = '' } = deps
  const heard = listener && new HeardCall(listener, { agentId: agent.id, runId, toolName, toolCallId })
  heard?.begin(input)
  try {
    const output = await observe(observation, body, { heard, resultOf })
    heard?.end(resultOf(output))
    return output
  } catch (error) {
    const redacted = redactError(error, deps.redact)
    heard?.fail(redacted)
    throw redacted
  }
}

function observe(
  observation: ObservedCall,
  body: Body,
  { heard, resultOf }: { readonly heard: HeardCall | undefined; readonly resultOf: ResultOf },
): Promise<unknown> {
  const { agent, deps, toolName: name, description, input, toolCallId: callId } = observation
  const { idempotencyKey, record } = observation
  const { trace: parent = NO_TRACE } = deps.context
  return withToolSpan(parent, { name, description, input, callId, agentId: agent.id, resultOf }, (trace) => {
    const { spanId } = trace.spanIds ?? {}
    const { logger } = deps.context
    const context = {
      ...deps.context,
      ...(record && { step: record.step }),
      ...reportsOf(heard),
      idempotencyKey,
      trace,
      logger: spanId === undefined ? logger : logger.child({ spanId }),
    }
    return withHooks(observation, context, () => body(context, trace, record?.nested, input))
  })
}

async function withHooks(
  { agent, toolName, input, record }: ObservedCall,
  context: ToolContext,
  body: () => Promise<unknown>,
): Promise<unknown> {
  const { onToolStart, onToolEnd } = agent.hooks
  const start = { toolName, input, context }
  await onToolStart?.(start)
  let output: unknown
  try {
    output = await body()
  } catch (error) {
    if (record?.left.aborted === true && error === record.left.reason) throw error
    context.logger.warn({ err: error, agentId: agent.id, toolName }, `Tool "${toolName}" failed`)
    await onToolEnd?.({ ...start, error })
    throw error
  }
  if (!(output instanceof SuspendedAnswer)) await onToolEnd?.({ ...start, output })
  return output
}

interface DecisionDeps {
  readonly context: ToolContext
  readonly waits: Waits
  /** The ids of the calls that are made now, because they were approved. Each counts once. */
  readonly approved: Set<string>
  /** Whether a call was made before, and has its outcome. */
  readonly isRecorded: (toolCallId: string) => boolean
}

/** Whether the calls of a tool need approval. The tool decides once per call. */
class ApprovalDecisions {
  readonly #tool: Tool
  readonly #deps: DecisionDeps
  readonly #needed = new Map<string, boolean>()

  constructor(tool: Tool, deps: DecisionDeps) {
    this.#tool = tool
    this.#deps = deps
  }

  /** Whether the answer waits before the call. */
  async requestsApproval(toolCallId: string, input: unknown): Promise<boolean> {
    const { waits, approved, isRecorded } = this.#deps
    // the AI SDK executes an approved call only if it still needs approval
    if (approved.has(toolCallId)) return true
    if (!waits.approvals || isRecorded(toolCallId)) return false
    try {
      const needed = await this.#isNeeded(await validateInput(this.#tool, input))
      this.#needed.set(toolCallId, needed)
      return needed
    } catch {
      // thrown again when the call is made, as its error
      return false
    }
  }

  /** Whether the call must not be made, because it needs an approval that it does not have. */
  async mustWait(toolCallId: string, validInput: unknown): Promise<boolean> {
    if (this.#deps.approved.delete(toolCallId)) return false
    const needed = this.#needed.get(toolCallId) ?? (await this.#isNeeded(validInput))
    this.#needed.delete(toolCallId)
    return needed
  }

  async #isNeeded(validInput: unknown): Promise<boolean> {
    return this.#tool.needsApproval(validInput, this.#deps.context)
  }
}

/**
 * Rethrows an error so that its text is its message in all versions of the AI SDK: version 7 makes the tool result of
 * `toString()`, which has the name as well.
 */
function throwPlain(error: unknown): never {
  if (error instanceof Error && Object.isExtensible(error))
    Object.defineProperty(error, 'toString', { value: () => error.message, configurable: true })
  throw error
}

/** Whether an answer waits before the calls of a tool. */
function hasBreakpoint(toolName: string, pauseAt: readonly string[] = []): boolean {
  return pauseAt.includes(toolName) || pauseAt.includes(EVERY_STEP)
}

/** Waits before a call. Resolves to its arguments, which may be edited by the data of the resume, `{ input }`. */
async function waitAtBreakpoint(
  { toolName, input }: Pick<RecordedToolCall, 'toolName' | 'input'>,
  { step }: CallRecord,
): Promise<unknown> {
  const options: ApprovedSuspendOptions = {
    reason: BREAKPOINT,
    data: { toolName, input: input as never },
    // whose approval was asked for has seen the arguments before they are edited
    approvedBy: 'operators',
    resumeSchema: {
      type: 'object',
      properties: { input: { description: 'Edited arguments', default: input } },
      additionalProperties: false,
    },
  }
  const given = await step.suspend(BREAKPOINT, options)
  return (given as { readonly input?: unknown }).input ?? input
}
