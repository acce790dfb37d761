import type { StepDescription } from '../../../contract/endpoints/workflow.ts'
import { durationText } from '../../ui/time/format-time.ts'

/** The retry options, such as `3, first after 1.00 s, ×2, maximum 30.00 s`; options without effect are omitted. */
export function retriesText({ retries }: StepDescription): string | undefined {
  if (!retries) return undefined
  const { limit, delayMs, factor, maxDelayMs, jitter } = retries
  const parts = [
    `${limit}, first after ${durationText(Math.min(delayMs, maxDelayMs))}`,
    limit > 1 && factor !== 1 && `×${factor}`,
    delayMs * factor ** (limit - 1) > maxDelayMs && `maximum ${durationText(maxDelayMs)}`,
    jitter > 0 && `${Math.round(jitter * 100)} % random`,
  ]
  return parts.filter((part) => part !== false).join(', ')
}

export function timeoutText({ timeoutMs }: StepDescription): string | undefined {
  return timeoutMs === undefined ? undefined : durationText(timeoutMs)
}
