import type * as Ai from 'ai'
import type { Logger } from 'pino'
import type { User } from '../../contract/auth.ts'
import { compileSchema, type Schema } from '../../lib/schema/schema.ts'
import { NO_TRACE, type TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { Agent } from '../agent.ts'
import { withAcceptedFiles } from '../models/accepted-files.ts'
import { loadModel, type LoadedModel } from '../models/load-model.ts'
import { loadPackage } from '../models/load-package.ts'
import type { ModelChoice } from '../models/model-choice.ts'
import type { Environment } from '../models/model-provider.ts'
import type { ModelCall } from '../models/model-call.ts'
import { tracedModel } from '../models/traced-model.ts'
import { findPrice } from '../prices/find-price.ts'
import type { ModelPrices } from '../prices/model-price.ts'
import { sdkTools, type SubAgentAnswer } from '../tools/sdk-tools.ts'
import type { ToolContext } from '../tools/tool.ts'
import type { CallJournal } from './journal/call-journal.ts'
import { journaledModel } from './journal/journaled-model.ts'
import { type WrappedSchema, wrapSchema } from './wrapped-schema.ts'
import { type CallSettings, sdkProviderOptions, sdkSettings } from './call-settings.ts'
import type { Usage } from '../../contract/agent-event.ts'

export interface GenerateOptions {
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
  /** The parent of the spans of model and tool calls. */
  readonly trace?: TraceScope | undefined
  /** Called with the usage of each call of the agent's own model, as soon as the model reports it. */
  readonly onUsage?: ((usage: Usage) => void) | undefined
  /** Called at the end of each call of the agent's own model. */
  readonly onModelCall?: ((call: ModelCall) => void) | undefined
  /** Prices of models, which replace the list prices of their providers. */
  readonly prices?: ModelPrices | undefined
  readonly callSubAgent: CallSubAgent
  /** The id of the run. */
  readonly runId?: string | undefined
  /** Records the calls of the model and of tools, so that the run can be continued. */
  readonly journal?: CallJournal | undefined
  /** Called with the usage of each recorded answer of the model that is not requested again. */
  readonly onRecalledUsage?: ((usage: Usage) => void) | undefined
  /** The model, as `chooseModel` chose it for the agent. */
  readonly model: ModelChoice
  /** Environment variables; the keys of the providers are read from them. */
  readonly env: Environment
  /** The directory that the project's packages are resolved from. */
  readonly projectDir: string
  /** Redacts secrets in the errors of tools and of the model's provider. */
  readonly redact: (text: string) => string
}

/** Calls a sub-agent and returns its answer. */
export type CallSubAgent = (
  agent: Agent,
  request: {
    readonly prompt: string
    readonly signal: AbortSignal
    readonly trace: TraceScope
    /** The same when the request is made again after a crash. */
    readonly requestKey?: string | undefined
  },
) => Promise<SubAgentAnswer>

/** The parameters of a model call and what is needed to read its answer. */
export interface PreparedCall {
  readonly ai: typeof Ai
  readonly model: LoadedModel
  readonly redact: (text: string) => string
  readonly context: ToolContext
  readonly answerSchema: WrappedSchema | undefined
  /** Grows while the answer is generated. */
  readonly subAgentUsage: readonly Usage[]
  /** The common parameters of `generateText` and `streamText`. */
  readonly parameters: CallParameters
}

type CallParameters = ReturnType<typeof parametersOf>

/** The context for the agent's tools and hooks. */
export async function toolContext(options: GenerateOptions): Promise<ToolContext> {
  const { signal = new AbortController().signal, context = {}, userId, user, conversationId } = options
  const logger = options.logger ?? (await import('pino')).pino({ enabled: false })
  return { signal, context, userId, user, conversationId, logger, trace: options.trace }
}

/**
 * Loads the agent's model and prepares the parameters of its call.
 *
 * @throws AppError `unavailable` when the key or the package of the model's provider is missing.
 */
export async function prepareCall(
  agent: Agent,
  options: GenerateOptions,
  context: ToolContext,
): Promise<PreparedCall> {
  const { env, projectDir, schema, callSubAgent, trace = NO_TRACE, onUsage, onModelCall, redact } = options
  const { prices = {} } = options
  context.signal.throwIfAborted()
  const loaded = await loadModel(options.model, agent.model, { env, projectDir })
  const accepting = { ...loaded, model: withAcceptedFiles(loaded.model) }
  const price = findPrice(loaded, prices)
  const traced = tracedModel(accepting, { trace, price, onUsage, onCall: onModelCall })
  const { runId, journal, onRecalledUsage = () => undefined } = options
  const model = { ...loaded, model: journal ? journaledModel(traced, journal, onRecalledUsage) : traced }
  const ai = await loadPackage<typeof Ai>('ai@6', projectDir)
  const subAgentUsage: Usage[] = []
  const { signal } = context
  const readSubAgent = ({ text, usage }: SubAgentAnswer) => {
    subAgentUsage.push(usage)
    return text
  }
  await Promise.all(agent.toolSources.map((source) => source.ready()))
  const answerSchema = schema === undefined ? undefined : wrapSchema(compileSchema(schema).input)
  const tools = sdkTools(agent, {
    ai,
    context,
    callSubAgent: async (subAgent, request) => {
      const { text, usage } = await callSubAgent(subAgent, { ...request, signal })
      return { text, usage }
    },
    readSubAgent,
    redact,
    runId,
    journal,
  })
  const parameters = parametersOf(agent, options, { ai, model, context, answerSchema, tools })
  return { ai, model, redact, context, answerSchema, subAgentUsage, parameters }
}

interface ParameterDeps extends Pick<PreparedCall, 'ai' | 'model' | 'context' | 'answerSchema'> {
  readonly tools: Ai.ToolSet
}

function parametersOf(
  agent: Agent,
  { prompt, messages, settings = {} }: GenerateOptions,
  { ai, model, context, answerSchema, tools }: ParameterDeps,
) {
  const { maxSteps = agent.maxSteps } = settings
  return {
    // the shape that the projects' types have is the SDK's own
    model: model.model as Ai.LanguageModel,
    system: agent.instructions,
    messages: [...(messages ?? [{ role: 'user' as const, content: prompt }])],
    tools,
    stopWhen: ({ steps }: { steps: readonly unknown[] }) => steps.length >= maxSteps,
    abortSignal: context.signal,
    maxRetries: 2,
    ...sdkSettings(settings),
    ...(answerSchema && { output: ai.Output.object({ schema: ai.jsonSchema(answerSchema.schema) }) }),
    providerOptions: sdkProviderOptions(settings),
  }
}
