import { ATTRIBUTE } from '../../contract/attributes.ts'
import type { CallFrame } from '../../contract/channels.ts'
import type { Span, SpanEvent } from '../../contract/endpoints/trace.ts'
import type { SpanFeed } from '../../observability/tracing/record/span-feed.ts'

/** The maximum number of open spans to track. Calls below further ones have no caller. */
const MAX_OPEN_SPANS = 10_000
const MAX_MESSAGE = 200

/** Attributes that name the callee of a span, by its operation. */
const NAMED_BY: Readonly<Record<string, readonly [kind: string, attribute: string]>> = {
  invoke_workflow: ['workflow', ATTRIBUTE.workflowId],
  invoke_agent: ['agent', ATTRIBUTE.agentId],
  execute_tool: ['tool', ATTRIBUTE.toolName],
}

/** Publishes who calls whom: small frames without contents, made of the spans of executions, agents and tools. */
export function followCalls(
  spans: Pick<SpanFeed, 'subscribe'>,
  publish: (frame: CallFrame) => void,
): () => void {
  /** The node within which each open span runs. */
  const open = new Map<string, string>()
  return spans.subscribe(({ type, span }: SpanEvent) => {
    const { spanId: id, parentSpanId } = span
    const from = parentSpanId === null ? null : (open.get(parentSpanId) ?? null)
    const to = nodeOf(span)
    if (type === 'span:start') {
      const node = to ?? from
      if (node !== null && open.size < MAX_OPEN_SPANS) open.set(id, node)
      if (to !== null) publish({ type: 'call:start', data: { id, from, to } })
      return
    }
    open.delete(id)
    const tokens = to === null && from !== null ? tokensOf(span) : 0
    if (to !== null)
      publish({
        type: 'call:end',
        data: { id, from, to, error: span.status === 'error' ? messageOf(span) : null },
      })
    else if (tokens > 0 && from !== null) publish({ type: 'call:tokens', data: { node: from, tokens } })
  })
}

function nodeOf({ attributes }: Span): string | null {
  const [kind, attribute = ''] = NAMED_BY[String(attributes[ATTRIBUTE.operation])] ?? []
  const name = attributes[attribute]
  return kind === undefined || typeof name !== 'string' ? null : `${kind}:${name}`
}

function tokensOf({ attributes }: Span): number {
  const count = (name: string) => Number(attributes[name] ?? 0) || 0
  return count(ATTRIBUTE.inputTokens) + count(ATTRIBUTE.outputTokens)
}

function messageOf({ statusMessage, attributes }: Span): string {
  const type = attributes[ATTRIBUTE.errorType]
  return (statusMessage ?? (typeof type === 'string' ? type : 'failed')).slice(0, MAX_MESSAGE)
}
