import type * as Ai from 'ai'
import type { Logger } from 'pino'
import type { User } from '../../contract/auth.ts'
import { NO_TRACE, type TraceScope } from '../../lib/telemetry/trace-scope.ts'
import { tracedModel } from '../models/traced-model.ts'
import { compileSchema, type Schema } from '../../lib/schema/schema.ts'
import type { Agent } from '../agent.ts'
import { type AnswerSchema, answerSchema } from './answer-schema.ts'
import { type CallSettings, sdkProviderOptions, sdkSettings } from './call-settings.ts'
import type { Usage } from './generated.ts'
import { loadPackage } from '../models/load-package.ts'
import type { Environment } from '../models/model-provider.ts'
import { resolveModel, type ResolvedModel } from '../models/resolve-model.ts'
import { sdkTools } from '../tools/sdk-tools.ts'
import type { ToolContext } from '../tools/tool.ts'

/** Where models, keys and packages are found. */
export interface Surroundings {
  /** Where model names and keys are read; the process's environment when left out. */
  readonly env?: Environment | undefined
  /** Whether the demo model may not stand in; read from `NODE_ENV` when left out. */
  readonly production?: boolean | undefined
  /** Where the project's packages are looked for; the working directory when left out. */
  readonly projectDir?: string | undefined
}

export interface GenerateOptions extends Surroundings {
  readonly prompt: string
  /** A conversation in place of the prompt alone, which is then its last question. */
  readonly messages?: readonly Ai.ModelMessage[] | undefined
  /** The shape of the answer; without it the answer is text. */
  readonly schema?: Schema | undefined
  readonly settings?: CallSettings | undefined
  /** Ends the generation; what is thrown then is the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Handed to tools. */
  readonly context?: Readonly<Record<string, unknown>> | undefined
  readonly userId?: string | undefined
  readonly user?: User | undefined
  readonly conversationId?: string | undefined
  readonly logger?: Logger | undefined
  /** What the calls of models and tools are below. */
  readonly trace?: TraceScope | undefined
  /** Told what each call of the agent's own model spent, as soon as the model has told it. */
  readonly onSpent?: ((usage: Usage) => void) | undefined
  /** Gets the answers of sub-agents; asks their models when left out. */
  readonly askSubAgent?: AskSubAgent | undefined
}

/** Gets a sub-agent's answer, until the signal aborts. */
export type AskSubAgent = (
  agent: Agent,
  question: { readonly prompt: string; readonly signal: AbortSignal; readonly trace: TraceScope },
) => Promise<{ readonly text: string; readonly usage: Usage }>

/** A call of the model, ready to be made. */
export interface PreparedCall {
  readonly ai: typeof Ai
  readonly model: ResolvedModel
  readonly env: Environment
  readonly context: ToolContext
  readonly asked: AnswerSchema | undefined
  /** Filled while the answer is made. */
  readonly spentBySubAgents: Usage[]
  /** What `generateText` and `streamText` take alike. */
  readonly parameters: CallParameters
}

type CallParameters = ReturnType<typeof parametersOf>

/** What the agent's tools and hooks are told of the call. */
export async function toolContext(options: GenerateOptions): Promise<ToolContext> {
  const { signal = new AbortController().signal, context = {}, userId, user, conversationId } = options
  const logger = options.logger ?? (await import('pino')).pino({ enabled: false })
  return { signal, context, userId, user, conversationId, logger, trace: options.trace }
}

/**
 * Finds the agent's model and puts together what it is called with.
 *
 * @throws AppError `unavailable` when there is no model.
 */
export async function prepareCall(
  agent: Agent,
  options: GenerateOptions,
  { context, ask }: { context: ToolContext; ask: AskSubAgent },
): Promise<PreparedCall> {
  const { env = process.env, projectDir = process.cwd(), schema } = options
  const { production = env['NODE_ENV']?.trim().toLowerCase() === 'production' } = options
  context.signal.throwIfAborted()
  const { trace = NO_TRACE, onSpent } = options
  const resolved = await resolveModel(agent.model, { env, production, projectDir })
  const model = { ...resolved, model: tracedModel(resolved, { trace, onSpent }) }
  const ai = await loadPackage<typeof Ai>('ai@6', projectDir)
  const spentBySubAgents: Usage[] = []
  const askAndCount = async (subAgent: Agent, prompt: string, below: TraceScope) => {
    const { text, usage } = await ask(subAgent, { prompt, signal: context.signal, trace: below })
    spentBySubAgents.push(usage)
    return text
  }
  await Promise.all(agent.toolSources.map((source) => source.ready()))
  const asked = schema === undefined ? undefined : answerSchema(compileSchema(schema).input)
  const tools = sdkTools(agent, { ai, context, ask: askAndCount })
  const parameters = parametersOf(agent, options, { ai, model, context, asked, tools })
  return { ai, model, env, context, asked, spentBySubAgents, parameters }
}

interface Means extends Pick<PreparedCall, 'ai' | 'model' | 'context' | 'asked'> {
  readonly tools: Ai.ToolSet
}

function parametersOf(agent: Agent, { prompt, messages, settings = {} }: GenerateOptions, means: Means) {
  const { ai, model, context, asked, tools } = means
  const { maxSteps = agent.maxSteps } = settings
  return {
    model: model.model,
    system: agent.instructions,
    messages: [...(messages ?? [{ role: 'user' as const, content: prompt }])],
    tools,
    stopWhen: ({ steps }: { steps: readonly unknown[] }) => steps.length >= maxSteps,
    abortSignal: context.signal,
    maxRetries: 2,
    ...sdkSettings(settings),
    ...(asked === undefined ? {} : { output: ai.Output.object({ schema: ai.jsonSchema(asked.schema) }) }),
    providerOptions: sdkProviderOptions(settings),
  }
}
