import { abortable } from '../../lib/async/abortable.ts'
import type { Deadline } from '../../lib/async/deadline.ts'
import type { ResolvedAgent } from '../resolve-agent.ts'
import { answerDeadline } from './answer-deadline.ts'
import { failedAnswer, finishAnswer } from './finish-answer.ts'
import type { Generated } from './generated.ts'
import { prepareCall, toolContext } from './prepare-call.ts'
import type { AnswerScope, GenerateOptions } from './prepare-call.ts'

export type { Generated } from './generated.ts'
export type { GenerateOptions } from './prepare-call.ts'

/**
 * Calls an agent's model, its tools and its sub-agents until there is an answer. Provider errors 429 and 5xx are
 * retried twice with growing delays.
 *
 * @throws AppError `unavailable` when the model's key or package is missing, its provider does not respond, or the
 *   answer takes longer than the agent's `timeoutMs`; `execution_failed` when the answer does not match `schema` or
 *   needs more than the agent's `maxSteps`. Messages never contain keys.
 */
export async function generate(agent: ResolvedAgent, options: GenerateOptions): Promise<Generated> {
  const deadline = answerDeadline(agent, options)
  try {
    return await generateWithHooks(agent, { ...options, signal: deadline.signal }, deadline.abort)
  } finally {
    deadline.clear()
  }
}

async function generateWithHooks(
  agent: ResolvedAgent,
  options: GenerateOptions,
  fail: Deadline['abort'],
): Promise<Generated> {
  const context = await toolContext(options)
  const { onStart, onEnd } = agent.hooks
  await onStart?.({ prompt: options.prompt, context })
  let result: Generated
  try {
    result = await generateText(agent, options, { context, fail })
  } catch (error) {
    await onEnd?.({ context, error })
    throw error
  }
  await onEnd?.({ context, result })
  return result
}

async function generateText(
  agent: ResolvedAgent,
  options: GenerateOptions,
  scope: AnswerScope,
): Promise<Generated> {
  const { signal } = scope.context
  const call = await prepareCall(agent, options, scope)
  try {
    const result = await abortable(call.ai.generateText(call.parameters), signal)
    return await finishAnswer(agent, options, { call, answer: result })
  } catch (error) {
    signal.throwIfAborted()
    return failedAnswer(call, error)
  }
}
