import { abortable } from '../../lib/async/abortable.ts'
import type { Agent } from '../agent.ts'
import { answerDeadline } from './answer-deadline.ts'
import { finishAnswer } from './finish-answer.ts'
import type { Generated } from './generated.ts'
import { type AskSubAgent, type GenerateOptions, prepareCall, toolContext } from './prepare-call.ts'
import { translateError } from '../models/provider-error.ts'
import type { ToolContext } from '../tools/tool.ts'

export type { Generated } from './generated.ts'
export type { GenerateOptions } from './prepare-call.ts'

/**
 * Has an agent answer, calling its tools and sub-agents on the way. Provider errors 429 and 5xx are retried
 * twice with growing delays.
 *
 * @throws AppError `unavailable` when there is no model, or its provider doesn't answer; `execution_failed` when
 *   the answer doesn't fit `schema` or doesn't come within the agent's `maxSteps`; `unavailable` also when it takes
 *   longer than the agent's `timeoutMs`. Messages never hold keys.
 */
export async function generate(agent: Agent, options: GenerateOptions): Promise<Generated> {
  const deadline = answerDeadline(agent, options)
  try {
    return await generateInTime(agent, { ...options, signal: deadline.signal })
  } finally {
    deadline.clear()
  }
}

async function generateInTime(agent: Agent, options: GenerateOptions): Promise<Generated> {
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

/** Gets sub-agents' answers, within the call that led to them. */
export function subAgentAnswer(options: GenerateOptions): AskSubAgent {
  const { settings: _own, messages: _conversation, schema: _shape, askSubAgent, ...rest } = options
  const shared = { ...rest, onSpent: undefined }
  return askSubAgent ?? ((subAgent, question) => generate(subAgent, { ...shared, ...question }))
}

async function answer(agent: Agent, options: GenerateOptions, context: ToolContext): Promise<Generated> {
  const call = await prepareCall(agent, options, { context, ask: subAgentAnswer(options) })
  try {
    const result = await abortable(call.ai.generateText(call.parameters), context.signal)
    return await finishAnswer(agent, options, { call, answer: result })
  } catch (error) {
    context.signal.throwIfAborted()
    throw translateError(error, call)
  }
}
