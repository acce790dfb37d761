import type * as Ai from 'ai'
import { AppError } from '../../lib/errors.ts'
import { compileSchema, formatIssues, type Schema } from '../../lib/schema/schema.ts'
import type { ResolvedAgent } from '../resolve-agent.ts'
import { invalidJsonAnswer } from '../models/provider-error.ts'
import type { Generated } from './generated.ts'
import { toSteps } from './generated-steps.ts'
import type { GenerateOptions, PreparedCall } from './prepare-call.ts'
import { sumUsage } from './usage.ts'

/** The result of `generateText` or `streamText`. */
export interface SdkAnswer {
  readonly text: string
  readonly reasoningText: string | undefined
  readonly finishReason: Ai.FinishReason
  readonly steps: readonly Ai.StepResult<Ai.ToolSet>[]
  /** The messages of all steps. Version 6 of the AI SDK lacks it; there the last step has all messages. */
  readonly responseMessages?: readonly Ai.ModelMessage[]
}

/**
 * Converts the model's answer to the agent's, and validates it.
 *
 * @throws AppError `execution_failed` when the answer is empty or does not match the schema.
 */
export async function finishAnswer(
  agent: ResolvedAgent,
  options: GenerateOptions,
  { call, answer }: { call: PreparedCall; answer: SdkAnswer },
): Promise<Generated> {
  const { schema } = options
  const { text, reasoningText, finishReason, steps } = answer
  const generatedSteps = toSteps(steps)
  assertAnswered(agent, options, answer)
  const { provider, modelId, origin } = call.model
  return {
    text,
    reasoning: reasoningText,
    object: schema === undefined ? undefined : await validateAnswer(schema, readObject(answer, call)),
    usage: sumUsage([...generatedSteps.map(({ usage }) => usage), ...call.subAgentUsage]),
    finishReason,
    model: { provider, modelId, origin },
    steps: generatedSteps,
    messages: answer.responseMessages ?? steps.at(-1)?.response.messages ?? [],
  }
}

/** A caller that sets `maxSteps` itself accepts an incomplete text after that many steps. */
function assertAnswered(
  agent: ResolvedAgent,
  { schema, settings }: GenerateOptions,
  answer: SdkAnswer,
): void {
  const { text, finishReason } = answer
  const needsValue = schema !== undefined
  const maxSteps = settings?.maxSteps ?? agent.maxSteps
  const limited = settings?.maxSteps !== undefined && !needsValue
  if (finishReason === 'tool-calls' && (needsValue || text === '') && !limited) {
    throw new AppError('execution_failed', `Agent "${agent.id}" did not answer within ${maxSteps} steps`, {
      hint: 'Increase maxSteps of the agent, or reduce the number of tool calls it needs',
    })
  }
  if (needsValue && text === '') {
    const reason =
      finishReason === 'content-filter' ? "blocked by the provider's content filter" : finishReason
    throw new AppError('execution_failed', `Agent "${agent.id}" returned an empty answer: ${reason}`)
  }
}

function readObject({ text, finishReason }: SdkAnswer, { answerSchema, model }: PreparedCall): unknown {
  try {
    return answerSchema?.unwrap(JSON.parse(text) as unknown)
  } catch (cause) {
    throw invalidJsonAnswer(model, finishReason, cause)
  }
}

async function validateAnswer(schema: Schema, value: unknown): Promise<unknown> {
  const validation = await compileSchema(schema).validate(value)
  if (validation.ok) return validation.value
  throw new AppError(
    'execution_failed',
    `The answer does not match the schema: ${formatIssues(validation.issues, 'answer')}`,
  )
}
