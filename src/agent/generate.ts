import type * as Ai from 'ai'
import type { Logger } from 'pino'
import type { User } from '../contract/auth.ts'
import { AppError } from '../lib/errors.ts'
import { compileSchema, formatIssues, type Schema } from '../lib/schema.ts'
import type { Agent } from './agent.ts'
import { answerSchema } from './answer-schema.ts'
import type { Generated, Usage } from './generated.ts'
import { loadPackage } from './load-package.ts'
import type { Environment } from './model-provider.ts'
import { resolveModel, type ResolvedModel } from './model.ts'
import { translateError } from './provider-error.ts'
import { sdkTools } from './sdk-tools.ts'
import type { ToolContext } from './tool.ts'
import { sumUsage, toUsage } from './usage.ts'

export type { Generated } from './generated.ts'

export interface GenerateOptions {
  readonly prompt: string
  /** The shape of the answer; without it the answer is text. */
  readonly schema?: Schema | undefined
  /** Ends the generation; what is thrown then is the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** Handed to tools. */
  readonly context?: Readonly<Record<string, unknown>> | undefined
  readonly userId?: string | undefined
  readonly user?: User | undefined
  readonly conversationId?: string | undefined
  readonly logger?: Logger | undefined
  /** Where model names and keys are read; the process's environment when left out. */
  readonly env?: Environment | undefined
  /** Whether the demo model may not stand in; read from `NODE_ENV` when left out. */
  readonly production?: boolean | undefined
  /** Where the project's packages are looked for; the working directory when left out. */
  readonly projectDir?: string | undefined
}

/**
 * Has an agent answer, calling its tools and sub-agents on the way. Provider errors 429 and 5xx are retried
 * twice with growing delays.
 *
 * @throws AppError `unavailable` when there is no model, or its provider doesn't answer; `execution_failed` when
 *   the answer doesn't fit `schema` or doesn't come within the agent's `maxSteps`. Messages never hold keys.
 */
export async function generate(agent: Agent, options: GenerateOptions): Promise<Generated> {
  const context = await toolContext(options)
  const { onStart, onEnd } = agent.hooks
  await onStart?.({ prompt: options.prompt, context })
  let result: Generated
  try {
    result = await answer(agent, options, context)
  } catch (error) {
    await onEnd?.({ context, error })
    throw error
  }
  await onEnd?.({ context, result })
  return result
}

async function toolContext(options: GenerateOptions): Promise<ToolContext> {
  const { signal = new AbortController().signal, context = {}, userId, user, conversationId } = options
  const logger = options.logger ?? (await import('pino')).pino({ enabled: false })
  return { signal, context, userId, user, conversationId, logger }
}

async function answer(agent: Agent, options: GenerateOptions, context: ToolContext): Promise<Generated> {
  const { env = process.env, projectDir = process.cwd() } = options
  const { production = env['NODE_ENV']?.trim().toLowerCase() === 'production' } = options
  context.signal.throwIfAborted()
  const model = await resolveModel(agent.model, { env, production, projectDir })
  const ai = await loadPackage<typeof Ai>('ai@6', projectDir)
  try {
    return await callModel(agent, options, { ai, model, context })
  } catch (error) {
    context.signal.throwIfAborted()
    throw translateError(error, { ai, model, env })
  }
}

interface Means {
  readonly ai: typeof Ai
  readonly model: ResolvedModel
  readonly context: ToolContext
}

async function callModel(agent: Agent, options: GenerateOptions, means: Means): Promise<Generated> {
  const { ai, model, context } = means
  const spentBySubAgents: Usage[] = []
  const ask = async (subAgent: Agent, prompt: string) => {
    const { text, usage } = await generate(subAgent, { ...options, schema: undefined, prompt })
    spentBySubAgents.push(usage)
    return text
  }
  await Promise.all(agent.toolSources.map((source) => source.ready()))
  const { schema, prompt } = options
  const asked = schema === undefined ? undefined : answerSchema(compileSchema(schema).input)
  const result = await ai.generateText({
    model: model.model,
    system: agent.instructions,
    prompt,
    tools: sdkTools(agent, { ai, context, ask }),
    stopWhen: ({ steps }) => steps.length >= agent.maxSteps,
    abortSignal: context.signal,
    maxRetries: 2,
    ...(asked === undefined ? {} : { output: ai.Output.object({ schema: ai.jsonSchema(asked.schema) }) }),
    // strict mode knows only part of JSON Schema and refuses the rest; the answer is checked here anyway
    providerOptions: { openaiCompatible: { strictJsonSchema: false } },
  })
  assertAnswered(agent, result, asked !== undefined)
  return {
    text: result.text,
    object: schema === undefined ? undefined : await checkAnswer(schema, asked?.read(result.output)),
    usage: sumUsage([toUsage(result.totalUsage), ...spentBySubAgents]),
    finishReason: result.finishReason,
    model: { provider: model.provider, modelId: model.modelId, origin: model.origin },
  }
}

type Result = Pick<Ai.GenerateTextResult<Ai.ToolSet, never>, 'text' | 'finishReason'>

function assertAnswered(agent: Agent, { text, finishReason }: Result, needsValue: boolean): void {
  if (finishReason === 'tool-calls' && (needsValue || text === '')) {
    throw new AppError(
      'execution_failed',
      `Agent "${agent.id}" gave no answer within ${agent.maxSteps} steps`,
      {
        hint: 'Give the agent a higher maxSteps, or fewer things to look up',
      },
    )
  }
  if (needsValue && text === '') {
    throw new AppError('execution_failed', `Agent "${agent.id}" gave an empty answer (${finishReason})`)
  }
}

async function checkAnswer(schema: Schema, value: unknown): Promise<unknown> {
  const checked = await compileSchema(schema).validate(value)
  if (checked.ok) return checked.value
  throw new AppError(
    'execution_failed',
    `The answer does not fit the schema: ${formatIssues(checked.issues, 'answer')}`,
  )
}
