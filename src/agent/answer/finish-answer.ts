import type * as Ai from 'ai'
import { AppError } from '../../lib/errors.ts'
import { compileSchema, formatIssues } from '../../lib/schema/schema.ts'
import type { Schema } from '../../lib/schema/schema.ts'
import type { ResolvedAgent } from '../resolve-agent.ts'
import { BlockSignal } from '../guardrails/guardrail.ts'
import { blockedAnswer } from '../guardrails/blocked-answer.ts'
import { invalidJsonAnswer, translateError } from '../models/provider-error.ts'
import type { Generated } from './generated.ts'
import { toSteps } from './generated-steps.ts'
import { findPendingCalls, withoutSuspended } from './waiting/find-pending-calls.ts'
import type { PendingCalls } from './waiting/pending-calls.ts'
import type { GenerateOptions, PreparedCall } from './prepare-call.ts'
import { resumedResults, withResults } from './waiting/resumed-answer.ts'
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
  const { schema, resumed } = options
  const { text, reasoningText, finishReason, steps } = answer
  const generatedSteps = toSteps(steps)
  const found = findPendingCalls(agent, steps)
  const isReturned = found !== undefined && returnsCalls(options, found)
  const pending = isReturned ? undefined : found
  if (!found) assertAnswered(agent, options, { answer, isStopped: call.isStopped() })
  const isObject = schema !== undefined && !found
  const { provider, modelId, origin } = call.model
  const messages = (answer.responseMessages ?? steps.at(-1)?.response.messages ?? []) as Ai.ModelMessage[]
  const earlier = resumed ? withResults(resumed.steps, resumedResults(messages)) : []
  return {
    text,
    reasoning: reasoningText,
    object: isObject ? await validateAnswer(schema, readObject(answer, call)) : undefined,
    usage: sumUsage([
      ...(resumed ? [resumed.usage] : []),
      ...generatedSteps.map(({ usage }) => usage),
      ...call.subAgentUsage,
    ]),
    finishReason: pending && pending.approvals.length > 0 ? 'approval-required' : finishReason,
    model: { provider, modelId, origin },
    steps: [...earlier, ...generatedSteps],
    ...(pending && { pending }),
    ...(call.settled.length > 0 && { settled: call.settled }),
    messages: [...(resumed?.messages ?? []), ...(pending ? withoutSuspended(messages, pending) : messages)],
  }
}

/** Whether the answer ends with calls that its client executes, and waits for nothing else. */
function returnsCalls({ waits }: GenerateOptions, { approvals, subAgents }: PendingCalls): boolean {
  return waits?.returnsCalls === true && approvals.length + subAgents.length === 0
}

/**
 * The answer after an error: that of a guardrail that blocked it.
 *
 * @throws the error of a guardrail, otherwise that of the model's provider or the AI SDK, translated.
 */
export function failedAnswer(call: PreparedCall, error: unknown): Generated {
  const { check, model, ownUsage, subAgentUsage } = call
  const failure = check?.failure
  if (!(failure instanceof BlockSignal)) throw (failure ?? translateError(error, call)) as Error
  return blockedAnswer({ reason: failure.reason, usage: [...ownUsage, ...subAgentUsage], model })
}

/**
 * A caller that sets `maxSteps` itself accepts an incomplete text after that many steps, and so does an agent with
 * `stopWhen` where that ends it.
 */
function assertAnswered(
  agent: ResolvedAgent,
  { schema, settings }: GenerateOptions,
  { answer, isStopped }: { readonly answer: SdkAnswer; readonly isStopped: boolean },
): void {
  const { text, finishReason } = answer
  const needsValue = schema !== undefined
  const maxSteps = settings?.maxSteps ?? agent.maxSteps
  const limited = (settings?.maxSteps !== undefined || isStopped) && !needsValue
  if (finishReason === 'tool-calls' && (needsValue || text === '') && !limited) {
    if (isStopped)
      throw new AppError('execution_failed', `stopWhen ended agent "${agent.id}" before it answered`, {
        hint: 'Let it answer after its tool calls, or request a text and read the results of the calls',
      })
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
