import type * as Ai from 'ai'
import type { Logger } from 'pino'
import type { Usage } from '../../contract/agent-event.ts'
import type { User } from '../../contract/auth.ts'
import type { Deadline } from '../../lib/async/deadline.ts'
import { compileSchema } from '../../lib/schema/schema.ts'
import type { Schema } from '../../lib/schema/schema.ts'
import type { TraceScope } from '../../lib/telemetry/trace-scope.ts'
import { UNRECORDED_CALLS } from '../../step/unrecorded-calls.ts'
import type { Agent } from '../agent.ts'
import { LimitedModel } from '../budgets/limited-model.ts'
import { guardedModel } from '../guardrails/guarded-model.ts'
import { OutputCheck } from '../guardrails/output-check.ts'
import { withAgentSettings } from '../generation-settings.ts'
import type { ModelObject } from '../model-object.ts'
import { MAX_MODEL_RETRIES } from '../models/fallback-model.ts'
import type { LoadedModel } from '../models/load-model.ts'
import { loadPackage } from '../models/load-package.ts'
import type { ModelPart } from '../models/traced-messages.ts'
import type { ResolvedAgent } from '../resolve-agent.ts'
import { SubAgentClientToolError } from '../tools/call-tool.ts'
import type { HeldCalls } from '../tools/held-calls.ts'
import { sdkTools } from '../tools/sdk-tools.ts'
import type { SubAgentAnswer } from '../tools/sdk-tools.ts'
import { unheard } from '../tools/tool-reports.ts'
import type { ToolContext } from '../tools/tool.ts'
import { sdkProviderOptions, sdkSettings } from './call-settings.ts'
import type { CallSettings } from './call-settings.ts'
import type { Generated, SettledCall } from './generated.ts'

import { journaledModel } from './journal/journaled-model.ts'
import { AnswerCollector } from './journal/recorded-answer.ts'
import type { RecordedAnswer } from './journal/recorded-answer.ts'
import type { RecordedCalls } from './journal/recorded-calls.ts'
import type { PartListener } from './live/part-listener.ts'
import { answerLoop } from './loop.ts'
import type { AnswerLoop } from './loop.ts'
import { modelSample } from './model-sample.ts'
import { prepareModels } from './prepare-models.ts'
import type { ModelsOptions } from './prepare-models.ts'
import { StepModels } from './step-models.ts'
import { NO_WAITS, SuspendedAnswer } from './waiting/pending-calls.ts'
import type { Waits } from './waiting/pending-calls.ts'
import type { ResumedAnswer } from './waiting/resumed-answer.ts'
import { wrapSchema } from './wrapped-schema.ts'
import type { WrappedSchema } from './wrapped-schema.ts'

export interface GenerateOptions extends ModelsOptions {
  readonly prompt: string
  /** A conversation to send instead of `prompt`, which is then its last user message. */
  readonly messages?: readonly Ai.ModelMessage[] | undefined
  /** The schema of the answer. Without it the answer is text. */
  readonly schema?: Schema | undefined
  readonly settings?: CallSettings | undefined
  /** Aborts the generation, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Passed to tools and hooks. */
  readonly context?: Readonly<Record<string, unknown>> | undefined
  readonly userId?: string | undefined
  readonly user?: User | undefined
  readonly conversationId?: string | undefined
  readonly logger?: Logger | undefined
  readonly callSubAgent: CallSubAgent
  /** The id of the run. */
  readonly runId?: string | undefined
  /** Records the calls of the model and of tools, which may wait. Set where the run can be continued. */
  readonly calls?: RecordedCalls | undefined
  /** The tools before whose calls a recorded answer waits; `*`: all. */
  readonly pauseAt?: readonly string[] | undefined
  /** Called with the usage of each recorded answer of the model that is not requested again. */
  readonly onRecalledUsage?: ((usage: Usage) => void) | undefined
  /** The tool calls that the answer may wait for. Default: none. */
  readonly waits?: Waits | undefined
  /** Set when the answer continues after it waited: `messages` end with what it waited for. */
  readonly resumed?: ResumedAnswer | undefined
  /** Receives the live parts of the answer. */
  readonly listener?: PartListener | undefined
  /** Holds the tool calls that wait for forms. Without it tools can't request forms. */
  readonly heldCalls?: HeldCalls | undefined
}

/** Calls a sub-agent and returns its answer. */
export type CallSubAgent = (
  agent: Agent,
  request: {
    readonly prompt: string
    readonly signal: AbortSignal
    readonly trace: TraceScope
    /** The id of the tool call that asks it. */
    readonly toolCallId: string
    /** The same when the request is made again after a crash. */
    readonly requestKey?: string | undefined
    /** Records those of the sub-agent. */
    readonly calls?: RecordedCalls | undefined
    readonly listener?: PartListener | undefined
  },
) => Promise<SubAgentAnswer & Pick<Generated, 'reason'>>

/** The parameters of a model call and what is needed to read its answer. */
export interface PreparedCall {
  readonly ai: typeof Ai
  /** The model that answered last. */
  readonly model: LoadedModel
  readonly redact: (text: string) => string
  readonly context: ToolContext
  readonly answerSchema: WrappedSchema | undefined
  /** The usage of sub-agents and of completions for tools. Grows while the answer is generated. */
  readonly subAgentUsage: readonly Usage[]
  /** The calls of sub-agents that had waited. Grows like the usage. */
  readonly settled: readonly SettledCall[]
  /** The usage of the agent's own model. Grows while the answer is generated. */
  readonly ownUsage: readonly Usage[]
  /** The output guardrails of the agent, if it has any. */
  readonly check: OutputCheck | undefined
  /** Whether `stopWhen` of the agent has ended the answer. */
  readonly isStopped: () => boolean
  /** The common parameters of `generateText` and `streamText`. */
  readonly parameters: CallParameters
}

type CallParameters = ReturnType<typeof parametersOf> & AnswerLoop['parameters']

/** What one answer is generated in. */
export interface AnswerScope {
  readonly context: ToolContext
  /** Fails the answer: its signal aborts with the error. */
  readonly fail: Deadline['abort']
}

/** The context for the agent's tools and hooks. */
export async function toolContext(options: GenerateOptions): Promise<ToolContext> {
  const { signal = new AbortController().signal, context = {}, userId, user, conversationId } = options
  const logger = options.logger ?? (await import('pino')).pino({ enabled: false })
  return {
    signal,
    context,
    userId,
    user,
    conversationId,
    logger,
    step: UNRECORDED_CALLS,
    write: unheard,
    trace: options.trace,
  }
}

/**
 * Loads the agent's model and prepares the parameters of its call.
 *
 * @throws AppError `unavailable` when the key or the package of the model's provider is missing.
 */
export async function prepareCall(
  agent: ResolvedAgent,
  options: GenerateOptions,
  { context, fail }: AnswerScope,
): Promise<PreparedCall> {
  const { projectDir, schema, callSubAgent, redact } = options
  context.signal.throwIfAborted()
  const ai = await loadPackage<typeof Ai>('ai@6', projectDir)
  const ownUsage: Usage[] = []
  const onUsage: typeof options.onUsage = (usage, model) => {
    ownUsage.push(usage)
    options.onUsage?.(usage, model)
  }
  let answersRecalled = 0
  const recalled = () => answersRecalled
  const sdk = { ai, logger: context.logger }
  const models = await prepareModels(agent, { ...options, onUsage, recalled }, sdk)
  const stepModels =
    agent.prepareStep &&
    new StepModels(models, {
      load: (declared, choices) =>
        prepareModels(
          { ...agent, models: declared },
          { ...options, onUsage, recalled, models: choices },
          sdk,
        ),
      onModel: options.onModel,
    })
  const answering = stepModels ?? models
  const subAgentUsage: Usage[] = []
  const settled: SettledCall[] = []
  const { signal } = context
  let hasSuspended = false
  const readSubAgent = ({ text, usage, settled: own = [] }: SubAgentAnswer) => {
    subAgentUsage.push(usage)
    settled.push(...own)
    if (text instanceof SuspendedAnswer) hasSuspended = true
    return text
  }
  const sampling = models instanceof LimitedModel ? models.unrepeated : models
  const sample = modelSample({
    ai,
    models: sampling,
    signal,
    redact,
    count: (usage) => subAgentUsage.push(usage),
  })
  await Promise.all(agent.toolSources.map((source) => source.ready()))
  const answerSchema = schema === undefined ? undefined : wrapSchema(compileSchema(schema).input)
  const { runId, calls, listener } = options
  const onRecalledUsage = (usage: Usage) => {
    answersRecalled++
    ownUsage.push(usage)
    options.onRecalledUsage?.(usage)
  }
  const { waits = NO_WAITS, resumed } = options
  const failWith = (error: unknown): never => {
    if (error instanceof SubAgentClientToolError) fail(error)
    throw error
  }
  const tools = sdkTools(agent, {
    ai,
    context: { ...context, sample },
    callSubAgent: async (subAgent, request) => {
      const nested = { ...request, signal, listener: listener?.nested(request.toolCallId) }
      const { reason, ...answer } = await callSubAgent(subAgent, nested).catch(failWith)
      return reason === undefined ? answer : { ...answer, text: `Blocked by a guardrail: ${reason}` }
    },
    readSubAgent,
    redact,
    runId,
    listener,
    calls,
    pauseAt: options.pauseAt,
    waits,
    resumed,
    held: options.heldCalls,
    onSuspended: () => {
      hasSuspended = true
    },
    fail: failWith,
  })
  const check = outputCheck(agent, options, { context, answerSchema })
  const guarded = check ? guardedModel(answering.model, check) : answering.model
  const heard = listener ? heardModel(guarded, listener, { agentId: agent.id, runId: runId ?? '' }) : guarded
  const earlier = resumed?.steps ?? []
  const model = calls
    ? journaledModel(heard, { calls, earlier: earlier.length, onRecalled: onRecalledUsage })
    : heard
  const isSuspended = () => hasSuspended
  const loop = answerLoop(agent, {
    settings: options.settings ?? {},
    earlier,
    tools,
    model,
    stepModels,
    isSuspended,
  })
  const parameters = {
    ...parametersOf(agent, options, { ai, model, context, answerSchema, tools }),
    ...loop.parameters,
  }
  return {
    ai,
    get model() {
      return answering.current
    },
    redact,
    context,
    answerSchema,
    subAgentUsage,
    settled,
    ownUsage,
    check,
    isStopped: loop.isStopped,
    parameters,
  }
}

function outputCheck(
  { id: agentId, guardrails: { output: guardrails } }: ResolvedAgent,
  { conversationId }: GenerateOptions,
  { context: { user, context, signal }, answerSchema }: Pick<PreparedCall, 'context' | 'answerSchema'>,
): OutputCheck | undefined {
  if (guardrails.length === 0) return undefined
  return new OutputCheck({
    agentId,
    guardrails,
    request: { user, context, conversationId, signal },
    answerSchema,
  })
}

interface ParameterDeps extends Pick<PreparedCall, 'ai' | 'context' | 'answerSchema'> {
  readonly model: ModelObject
  readonly tools: Ai.ToolSet
}

function parametersOf(
  agent: ResolvedAgent,
  { prompt, messages, settings: requested = {} }: GenerateOptions,
  { ai, model, context, answerSchema, tools }: ParameterDeps,
) {
  const settings = withAgentSettings(agent.settings, requested)
  return {
    // the shape that the projects' types have is the SDK's own
    model: model as Ai.LanguageModel,
    system: agent.instructions,
    messages: [...(messages ?? [{ role: 'user' as const, content: prompt }])],
    tools,
    abortSignal: context.signal,
    maxRetries: MAX_MODEL_RETRIES,
    ...sdkSettings(settings),
    ...(answerSchema && { output: ai.Output.object({ schema: ai.jsonSchema(answerSchema.schema) }) }),
    providerOptions: sdkProviderOptions(settings),
  }
}

/** The methods that all versions of the model specification have. */
interface Model {
  doGenerate(options: unknown): PromiseLike<RecordedAnswer>
  doStream(options: unknown): PromiseLike<{
    readonly stream: ReadableStream<ModelPart>
    readonly request?: unknown
    readonly response?: object
  }>
}

/**
 * Wraps a model so that a call of `doGenerate` for which somebody listens is streamed. Each text of each call has an id of
 * its own: a call that is repeated after an error begins a new text.
 */
function heardModel(
  model: ModelObject,
  listener: PartListener,
  of: { readonly agentId: string; readonly runId: string },
): ModelObject {
  const inner = model as unknown as Model
  let calls = 0
  const heard: Model = {
    doGenerate: (options) => {
      if (!listener.wants('text')) return inner.doGenerate(options)
      const call = ++calls
      return generateHeard(inner, options, (id, text) =>
        listener.send({ kind: 'text', ...of, id: `${of.runId}:${call}:${id}`, text }),
      )
    },
    doStream: (options) => inner.doStream(options),
  }
  const { specificationVersion, provider, modelId, supportedUrls } = model
  return { specificationVersion, provider, modelId, supportedUrls, ...heard }
}

async function generateHeard(
  model: Model,
  options: unknown,
  onText: (id: string, text: string) => void,
): Promise<RecordedAnswer> {
  const { stream, request, response } = await model.doStream(options)
  const collected = new AnswerCollector()
  for await (const part of stream) {
    if (part.type === 'error') throw part['error']
    if (part.type === 'finish') {
      const answer = collected.answer(part)
      return { ...answer, request, response: { ...response, ...answer.response } } as RecordedAnswer
    }
    collected.add(part)
    if (part.type === 'text-delta' && part['delta'] !== '') onText(String(part['id']), String(part['delta']))
  }
  throw new Error('The stream of the model ended before its answer was complete')
}
