import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import type { SpanStatus, TraceEntity } from '../../contract/trace.ts'
import { ATTRIBUTE, OPERATION } from '../../lib/semantic-attributes.ts'
import { statusOf } from './span-record.ts'
import type { RecordedSpan } from './trace-changes.ts'

/** A trace while spans of it are open in this process. */
export class OpenTrace {
  /** The first span that started here. */
  readonly first: ReadableSpan
  #entity: { readonly span: ReadableSpan; readonly entity: TraceEntity } | undefined
  #failed = false
  #decides = false
  readonly #open = new Map<string, RecordedSpan>()

  constructor(first: ReadableSpan) {
    this.first = first
  }

  /** Whether all spans have ended. */
  get isOver(): boolean {
    return this.#open.size === 0
  }

  get entity(): TraceEntity | undefined {
    return this.#entity?.entity
  }

  get name(): string {
    return (this.#entity?.span ?? this.first).name
  }

  /** `undefined` where the spans here are details of something that was over before they started. */
  get status(): SpanStatus | undefined {
    if (!this.#decides) return undefined
    if (!this.isOver) return 'running'
    return this.#failed ? 'error' : 'ok'
  }

  add(span: ReadableSpan): RecordedSpan {
    const recorded: RecordedSpan = { span, trace: this, stored: false }
    if (!this.#entity) {
      const entity = entityOf(span)
      if (entity) this.#entity = { span, entity }
    }
    this.#decides ||= isOutermost(span)
    this.#open.set(span.spanContext().spanId, recorded)
    return recorded
  }

  end(span: ReadableSpan): RecordedSpan | undefined {
    const { spanId } = span.spanContext()
    const recorded = this.#open.get(spanId)
    this.#open.delete(spanId)
    const counts = isOutermost(span) || span === this.#entity?.span
    if (counts && statusOf(span) === 'error') this.#failed = true
    return recorded
  }

  /** The open spans that a span is within, from the inside out. */
  *around(span: ReadableSpan): Generator<RecordedSpan> {
    let parent = this.#parentOf(span)
    while (parent) {
      yield parent
      parent = this.#parentOf(parent.span)
    }
  }

  #parentOf({ parentSpanContext }: ReadableSpan): RecordedSpan | undefined {
    return parentSpanContext && this.#open.get(parentSpanContext.spanId)
  }
}

/** Whether a span begins a trace, or goes on with one that came from elsewhere. */
function isOutermost({ parentSpanContext }: ReadableSpan): boolean {
  return parentSpanContext === undefined || parentSpanContext.isRemote === true
}

function entityOf({ attributes, name }: ReadableSpan): TraceEntity | undefined {
  const text = (key: string) => {
    const value = attributes[key]
    return typeof value === 'string' ? value : undefined
  }
  const named = (type: TraceEntity['type'], id: string | undefined, shown: string | undefined) =>
    id === undefined ? undefined : { type, id, name: shown ?? id }
  switch (text(ATTRIBUTE.operation)) {
    case OPERATION.workflow:
      return named('workflow', text(ATTRIBUTE.workflowId) ?? name, text(ATTRIBUTE.workflowName))
    case OPERATION.agent:
      return named('agent', text(ATTRIBUTE.agentId) ?? text(ATTRIBUTE.agentName), text(ATTRIBUTE.agentName))
    case OPERATION.tool:
      return named('tool', text(ATTRIBUTE.toolName), undefined)
    default:
      return named('mcp', text(ATTRIBUTE.mcpServerId), undefined)
  }
}
