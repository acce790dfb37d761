import type { Client } from '../../client/create-client.ts'
import { ATTRIBUTE, OPERATION } from '../../contract/attributes.ts'
import type { Span } from '../../contract/endpoints/trace.ts'
import { sumOfCosts } from './case-result.ts'
import type { CaseTrace, TracedToolCall } from '../scorers/scorer.ts'

/** Reads what happened in a trace. */
export async function readTrace(client: Client, traceId: string, durationMs: number): Promise<CaseTrace> {
  const spans = await allSpans(client, traceId)
  const of = (operation: string) => spans.filter((span) => span.attributes[ATTRIBUTE.operation] === operation)
  const modelCalls = of(OPERATION.chat)
  const steps = spans.filter(({ attributes }) => attributes[ATTRIBUTE.stepId] !== undefined)
  return {
    traceId,
    durationMs,
    steps: steps.length > 0 ? steps.length : modelCalls.length,
    toolCalls: of(OPERATION.tool).map((span): TracedToolCall => ({
      toolName: String(span.attributes[ATTRIBUTE.toolName]),
      input: parsed(span.attributes[ATTRIBUTE.toolArguments]),
    })),
    costUsd: sumOfCosts(modelCalls.map(({ attributes }) => costOf(attributes[ATTRIBUTE.cost]))),
  }
}

async function allSpans(client: Client, traceId: string): Promise<readonly Span[]> {
  const spans: Span[] = []
  for (;;) {
    const cursor = spans.at(-1)?.spanId
    const page = await client.getTrace({ params: { traceId }, query: { ...(cursor && { cursor }) } })
    spans.push(...page.spans)
    if (!page.truncated) return spans
  }
}

function costOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}
