import { ATTRIBUTE, OPERATION } from '../../contract/attributes.ts'
import type { Span } from '../../contract/endpoints/trace.ts'
import { readMessagesIn } from './read-messages.ts'
import type { TracedMessage } from './read-messages.ts'

/** What an agent was asked and answered in one run. */
export interface AgentMessages {
  /** The span of its last model call. */
  readonly spanId: string
  readonly agent: string
  /** The span of the agent; empty without one. */
  readonly agentSpanId: string
  /** Path of the step that called it; empty without one. */
  readonly step: string
  readonly messages: readonly TracedMessage[]
  /** Whether the last model call has not ended. */
  readonly isAnswering: boolean
}

/** The conversations of the agents in a trace until a time, in milliseconds since the epoch, in the order of their start. */
export function agentMessages(spans: readonly Span[], until = Infinity): readonly AgentMessages[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  // each model call has the messages of those before it
  const last = new Map<string, Span>()
  const calls = spans.filter(
    ({ attributes, startTime }) =>
      attributes[ATTRIBUTE.operation] === OPERATION.chat && Date.parse(startTime) <= until,
  )
  for (const span of calls.toSorted((one, other) => one.startTime.localeCompare(other.startTime)))
    last.set(span.parentSpanId ?? '', span)
  return [...last.values()].map((span) => {
    const { attributes, endTime, spanId, parentSpanId } = span
    const isAnswering = endTime === null || Date.parse(endTime) > until
    const parent = byId.get(parentSpanId ?? '')
    return {
      spanId,
      agent: textOf(parent, ATTRIBUTE.agentName) ?? textOf(parent, ATTRIBUTE.agentId) ?? span.name,
      agentSpanId: parentSpanId ?? '',
      step: stepOf(span, byId),
      messages: [
        ...(readMessagesIn(attributes[ATTRIBUTE.inputMessages], 'user') ?? []),
        ...(isAnswering ? [] : (readMessagesIn(attributes[ATTRIBUTE.outputMessages], 'assistant') ?? [])),
      ],
      isAnswering,
    }
  })
}

/** The path of the step that a span is a part of. */
function stepOf(span: Span, byId: ReadonlyMap<string, Span>): string {
  for (let at: Span | undefined = span; at; at = byId.get(at.parentSpanId ?? '')) {
    const path = textOf(at, ATTRIBUTE.stepPath)
    if (path !== undefined) return path
  }
  return ''
}

function textOf(span: Span | undefined, name: string): string | undefined {
  const value = span?.attributes[name]
  return typeof value === 'string' ? value : undefined
}
