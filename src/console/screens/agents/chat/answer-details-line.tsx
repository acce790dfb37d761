import type { ReactNode } from 'react'
import { formatCost } from '../../../../contract/usage/cost.ts'
import { Link } from '../../../router/link.tsx'
import { countText, durationText } from '../../../ui/time/format-time.ts'
import type { AnswerDetails, Usage } from './session/chat-message.ts'

/** Model, tokens, cost, timing and trace of an answer. */
export function AnswerDetailsLine({
  details,
  traceId,
}: {
  readonly details: AnswerDetails
  readonly traceId?: string | undefined
}) {
  const { model, usage, firstMs, tookMs, finishReason, reason } = details
  const shown: ReactNode[] = [
    model,
    usage && (
      <span
        title={usageText(usage)}
      >{`${countText(usage.inputTokens)} in, ${countText(usage.outputTokens)} out`}</span>
    ),
    usage && usage.costUsd !== null && <span title="Cost">{formatCost(usage.costUsd)}</span>,
    firstMs !== undefined && (
      <span title="Time to the first token">{`first token ${durationText(firstMs)}`}</span>
    ),
    tookMs !== undefined && <span title="Latency">{`total ${durationText(tookMs)}`}</span>,
    reason !== undefined && <span className="text-error">{`Blocked by a guardrail: ${reason}`}</span>,
    reason === undefined &&
      finishReason !== undefined &&
      finishReason !== 'stop' &&
      `finish reason: ${finishReason}`,
    traceId !== undefined && (
      <Link to={`traces/${traceId}`} className="inline-flex min-h-6 items-center text-accent hover:underline">
        Request
      </Link>
    ),
  ].filter((detail) => detail !== undefined && detail !== false)
  return (
    <span className="flex flex-wrap items-center gap-x-3 leading-6">
      {shown.map((detail, index) => (
        <span key={index}>{detail}</span>
      ))}
    </span>
  )
}

/** All token counts, and the cost, as text. */
export function usageText(usage: Usage): string {
  const { inputTokens, outputTokens, totalTokens, cachedInputTokens, reasoningTokens, costUsd } = usage
  return [
    `${countText(inputTokens)} input tokens${(cachedInputTokens ?? 0) > 0 ? ` (${countText(cachedInputTokens)} cached)` : ''}`,
    `${countText(outputTokens)} output tokens${(reasoningTokens ?? 0) > 0 ? ` (${countText(reasoningTokens)} reasoning)` : ''}`,
    `${countText(totalTokens)} total`,
    ...(costUsd === null ? [] : [formatCost(costUsd)]),
  ].join(', ')
}
