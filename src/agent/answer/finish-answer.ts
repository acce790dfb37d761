import type * as Ai from 'ai'
import { AppError } from '../../lib/errors.ts'
import { compileSchema, formatIssues, type Schema } from '../../lib/schema/schema.ts'
import type { Agent } from '../agent.ts'
import type { Generated } from './generated.ts'
import { toSteps } from './generated-steps.ts'
import type { GenerateOptions, PreparedCall } from './prepare-call.ts'
import { sumUsage, toUsage } from './usage.ts'

/** What the AI SDK tells of an answer, streamed or not. */
export interface SdkAnswer {
  readonly text: string
  readonly reasoningText: string | undefined
  readonly finishReason: Ai.FinishReason
  readonly totalUsage: Ai.LanguageModelUsage
  readonly steps: readonly Ai.StepResult<Ai.ToolSet>[]
  /** Those of all steps, where the last step has only its own: since version 7 of the AI SDK. */
  readonly responseMessages?: readonly Ai.ModelMessage[]
}

/**
 * Makes the agent's answer of the model's.
 *
 * @throws AppError `execution_failed` when there is none, or it does not fit the schema.
 */
export async function finishAnswer(
  agent: Agent,
  options: GenerateOptions,
  { call, answer }: { call: PreparedCall; answer: SdkAnswer },
): Promise<Generated> {
  const { schema } = options
  const { text, reasoningText, finishReason, totalUsage, steps } = answer
  assertAnswered(agent, options, answer)
  const { provider, modelId, origin } = call.model
  return {
    text,
    reasoning: reasoningText,
    object: schema === undefined ? undefined : await checkAnswer(schema, readObject(answer, call)),
    usage: sumUsage([toUsage(totalUsage), ...call.spentBySubAgents]),
    finishReason,
    model: { provider, modelId, origin },
    steps: toSteps(steps),
    messages: answer.responseMessages ?? steps.at(-1)?.response.messages ?? [],
  }
}

/** A caller who limits the steps takes what there is after them. */
function assertAnswered(agent: Agent, { schema, settings }: GenerateOptions, answer: SdkAnswer): void {
  const { text, finishReason } = answer
  const needsValue = schema !== undefined
  const maxSteps = settings?.maxSteps ?? agent.maxSteps
  const limited = settings?.maxSteps !== undefined && !needsValue
  if (finishReason === 'tool-calls' && (needsValue || text === '') && !limited) {
    throw new AppError('execution_failed', `Agent "${agent.id}" gave no answer within ${maxSteps} steps`, {
      hint: 'Give the agent a higher maxSteps, or fewer things to look up',
    })
  }
  if (needsValue && text === '') {
    const why =
      finishReason === 'content-filter' ? "the provider's content filter held it back" : finishReason
    throw new AppError('execution_failed', `Agent "${agent.id}" gave an empty answer: ${why}`)
  }
}

function readObject({ text, finishReason }: SdkAnswer, { asked, model }: PreparedCall): unknown {
  try {
    return asked?.read(JSON.parse(text) as unknown)
  } catch (cause) {
    const reason =
      finishReason === 'length' ? 'was cut off at its length limit' : 'is not the JSON that was asked for'
    const name = `${model.provider}/${model.modelId}`
    throw new AppError('execution_failed', `The answer of ${name} ${reason}`, { cause })
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
