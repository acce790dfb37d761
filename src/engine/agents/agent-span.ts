import type { Agent } from '../../agent/agent.ts'
import { tracedFinishReason } from '../../agent/models/model-call.ts'
import { providerAttribute } from '../../agent/models/provider-attribute.ts'
import { ATTRIBUTE, OPERATION, callerAttributes } from '../../contract/attributes.ts'
import type { OpenSpan, TraceScope } from '../../lib/telemetry/trace-scope.ts'
import type { AgentRunEnd } from '../../store/agent-store.ts'
import type { FinishReason, Usage } from '../../contract/agent-event.ts'
import { userIdOf } from './agent-call.ts'
import type { AgentCall } from './agent-call.ts'

type TracedCall = Pick<AgentCall, 'input' | 'schema' | 'options' | 'user'>

/** Starts the span of an agent's answer. */
export function startAgent(scope: TraceScope, agent: Agent, call: TracedCall): OpenSpan {
  if (!scope.isRecording) return scope.start('')
  const span = scope.start(`${OPERATION.agent} ${agent.id}`, {
    attributes: {
      [ATTRIBUTE.operation]: OPERATION.agent,
      [ATTRIBUTE.agentId]: agent.id,
      [ATTRIBUTE.agentName]: agent.name,
      [ATTRIBUTE.agentDescription]: agent.description,
      [ATTRIBUTE.outputType]: call.schema === undefined ? 'text' : 'json',
    },
    inherited: callerAttributes({ userId: userIdOf(call), conversationId: call.options?.conversationId }),
  })
  // messages, once it is known what is taken of them, and all input once it has passed the guardrails
  if (agent.guardrails.input.length === 0 && typeof call.input === 'string') setInput(span, call.input)
  return span
}

/** Sets the input of an answer. */
export function setInput(span: OpenSpan, input: AgentCall['input']): void {
  span.setContent(ATTRIBUTE.inputMessages, () =>
    typeof input === 'string' ? [toMessage('user', input)] : input,
  )
}

export interface AnswerEnd {
  readonly status: AgentRunEnd['status'] | 'suspended'
  readonly output?: unknown
  readonly error?: string | undefined
  readonly usage?: Partial<Usage> | undefined
  readonly finishReason?: FinishReason | undefined
  readonly blockedReason?: string | undefined
}

/** Sets the attributes of the model that was chosen. */
export function setModel(span: OpenSpan, { provider, modelId }: { provider: string; modelId: string }): void {
  span.setAttributes({ [ATTRIBUTE.provider]: providerAttribute(provider), [ATTRIBUTE.requestModel]: modelId })
}

/** Ends the span of an agent's answer with the outcome of its record. */
export function endAgent(
  span: OpenSpan,
  { status, output, error, usage, finishReason, blockedReason }: AnswerEnd,
): void {
  const reason = tracedFinishReason(finishReason)
  span.setAttributes({
    [ATTRIBUTE.finishReasons]: reason === undefined ? undefined : [reason],
    [ATTRIBUTE.guardrailReason]: blockedReason,
    [ATTRIBUTE.inputTokens]: usage?.inputTokens ?? undefined,
    [ATTRIBUTE.outputTokens]: usage?.outputTokens ?? undefined,
    [ATTRIBUTE.cachedInputTokens]: usage?.cachedInputTokens ?? undefined,
    [ATTRIBUTE.reasoningTokens]: usage?.reasoningTokens ?? undefined,
    [ATTRIBUTE.cost]: usage?.costUsd ?? undefined,
  })
  span.setContent(ATTRIBUTE.outputMessages, () =>
    output === undefined ? undefined : [{ ...toMessage('assistant', output), finish_reason: reason }],
  )
  if (status === 'error') span.fail({ name: 'AgentError', message: error ?? 'The answer failed' })
  if (status === 'aborted') span.fail({ name: 'aborted', message: 'The run was aborted' })
  span.end()
}

/** A message in the format of OpenTelemetry's GenAI conventions. */
function toMessage(role: string, value: unknown): object {
  const content = typeof value === 'string' ? value : JSON.stringify(value)
  return { role, parts: [{ type: 'text', content }] }
}
