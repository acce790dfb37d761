import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { ATTRIBUTE, OPERATION } from '../../lib/semantic-attributes.ts'
import type { SpanWrite, Subject, TokenCount, TraceChange, TraceSubject } from '../../store/trace-store.ts'
import type { OpenTrace } from './open-trace.ts'
import { kindOf, millis, storedSpan } from './span-record.ts'

/** A span on its way into the store. */
export interface RecordedSpan {
  readonly span: ReadableSpan
  readonly trace: OpenTrace
  /** Whether the store has been given it, open or not. */
  stored: boolean
}

/** What a batch of spans adds to their traces. With each span come the open ones that it is within. */
export function traceChanges(batch: readonly RecordedSpan[]): TraceChange[] {
  const byTrace = new Map<string, Set<RecordedSpan>>()
  for (const recorded of batch) {
    const { traceId } = recorded.span.spanContext()
    const spans = byTrace.get(traceId) ?? new Set()
    byTrace.set(traceId, spans.add(recorded))
    for (const outer of recorded.trace.around(recorded.span)) if (!outer.stored) spans.add(outer)
  }
  return [...byTrace].map(([traceId, spans]) => changeOf(traceId, [...spans]))
}

function changeOf(traceId: string, recorded: readonly RecordedSpan[]): TraceChange {
  const spans = recorded.map(({ span }) => span)
  const { trace } = recorded[0] as RecordedSpan
  const { first } = trace
  const startedAt = millis(first.startTime)
  return {
    traceId,
    startedAt,
    endedAt: Math.max(...spans.map((span) => millis(span.ended ? span.endTime : span.startTime))),
    name: trace.name,
    kind: kindOf(first),
    status: trace.status,
    entity: trace.entity,
    usage: usageOf(spans),
    subjects: subjectsOf(spans),
    spans: recorded.map((span) => spanWrite(span)),
  }
}

function spanWrite(recorded: RecordedSpan): SpanWrite {
  const { span, stored } = recorded
  recorded.stored = true
  const { spanId } = span.spanContext()
  return { spanId, isNew: !stored, data: JSON.stringify(storedSpan(span)) }
}

const SUBJECT_ATTRIBUTES: readonly (readonly [Subject, string])[] = [
  ['workflowId', ATTRIBUTE.workflowId],
  ['executionId', ATTRIBUTE.executionId],
  ['agentId', ATTRIBUTE.agentId],
  ['conversationId', ATTRIBUTE.conversationId],
  ['userId', ATTRIBUTE.userId],
]

function subjectsOf(spans: readonly ReadableSpan[]): TraceSubject[] {
  const found = new Map<string, TraceSubject>()
  for (const { attributes } of spans) {
    for (const [subject, name] of SUBJECT_ATTRIBUTES) {
      const id = attributes[name]
      if (typeof id === 'string') found.set(`${subject} ${id}`, [subject, id])
    }
  }
  return [...found.values()]
}

/** Calls of models are counted, not the agents that made them. */
function usageOf(spans: readonly ReadableSpan[]): TokenCount | undefined {
  const calls = spans.filter(
    ({ ended, attributes }) => ended && attributes[ATTRIBUTE.operation] === OPERATION.chat,
  )
  if (calls.length === 0) return undefined
  const sum = (name: string) =>
    calls.reduce((total, { attributes }) => total + (Number(attributes[name]) || 0), 0)
  return { inputTokens: sum(ATTRIBUTE.inputTokens), outputTokens: sum(ATTRIBUTE.outputTokens) }
}
