import { ATTRIBUTE } from '../../contract/attributes.ts'
import type { Usage } from '../../contract/agent-event.ts'
import type { OpenSpan } from '../../lib/telemetry/trace-scope.ts'
import { tokenCount } from '../answer/usage.ts'
import type { ModelUsage } from '../answer/usage.ts'
import type { ProviderMetadata } from '../prices/cost-metadata.ts'
import { tracedAnswer } from './traced-messages.ts'
import type { ModelPart } from './traced-messages.ts'

/** A call of a model that ended. */
export interface ModelCall {
  /** The provider as OpenTelemetry names it. */
  readonly provider: string
  readonly modelId: string
  /** The model that responded, if the provider names it. */
  readonly responseModel?: string | undefined
  readonly seconds: number
  readonly usage?: Usage | undefined
  /** The name of the error, if the call failed. */
  readonly errorType?: string | undefined
}

/** Reports the end of a call. */
export type EndCall = (end: Pick<ModelCall, 'usage' | 'responseModel' | 'errorType'>) => void

/** The status of the provider's response, otherwise the name of the error. */
export function errorTypeOf(error: unknown): string {
  const { statusCode, name } = (error ?? {}) as { statusCode?: unknown; name?: unknown }
  return typeof statusCode === 'number' ? String(statusCode) : typeof name === 'string' ? name : 'Error'
}

/** How a model ended its answer: a text in version 2 of the model specification, an object since version 3. */
export interface ModelFinish {
  readonly finishReason?: string | { readonly unified?: string }
  readonly usage?: ModelUsage
  readonly providerMetadata?: ProviderMetadata
}

/** What the provider says about its response. */
export interface ModelResponse {
  readonly id?: string
  readonly modelId?: string
}

interface ModelAnswer {
  readonly costUsd: number | null | undefined
  readonly content: readonly ModelPart[]
  readonly response?: ModelResponse | undefined
}

/** Sets the attributes of a model's answer. The caller ends the span. */
export function setAnswer(
  span: OpenSpan,
  { finishReason, usage }: ModelFinish,
  { costUsd, content, response }: ModelAnswer,
): void {
  const reason = tracedFinishReason(typeof finishReason === 'string' ? finishReason : finishReason?.unified)
  span.setAttributes({
    [ATTRIBUTE.responseId]: response?.id,
    [ATTRIBUTE.responseModel]: response?.modelId,
    [ATTRIBUTE.finishReasons]: reason === undefined ? undefined : [reason],
    [ATTRIBUTE.inputTokens]: tokenCount(usage?.inputTokens),
    [ATTRIBUTE.outputTokens]: tokenCount(usage?.outputTokens),
    [ATTRIBUTE.cachedInputTokens]: usage?.cachedInputTokens ?? tokenCount(usage?.inputTokens, 'cacheRead'),
    [ATTRIBUTE.cacheWriteTokens]: tokenCount(usage?.inputTokens, 'cacheWrite'),
    [ATTRIBUTE.cost]: costUsd ?? undefined,
    [ATTRIBUTE.reasoningTokens]: usage?.reasoningTokens ?? tokenCount(usage?.outputTokens, 'reasoning'),
  })
  span.setContent(ATTRIBUTE.outputMessages, () => tracedAnswer(content, reason))
}

/** A finish reason of the AI SDK in OpenTelemetry's enumeration, which has none for `other` and `unknown`. */
export function tracedFinishReason(reason: string | undefined): string | undefined {
  return FINISH_REASONS[reason ?? '']
}

const FINISH_REASONS: Readonly<Record<string, string>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  guardrail: 'content_filter',
  'tool-calls': 'tool_call',
  error: 'error',
}
