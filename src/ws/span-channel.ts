import type { Span, SpanEvent } from '../contract/endpoints/trace.ts'
import { ATTRIBUTE } from '../contract/attributes.ts'
import type { SpanFeed } from '../observability/tracing/record/span-feed.ts'
import type { ChannelSource } from './channels.ts'
import { Outbox } from './outbox.ts'

interface SpanQuery {
  readonly agentId?: string | undefined
  readonly workflowId?: string | undefined
}

/** The maximum number of open matching spans to track. Descendants of further ones are not sent. */
const MAX_OPEN_SPANS = 10_000

/** Sends the start and end of spans that match the query. */
export function spanChannel(feed: Pick<SpanFeed, 'subscribe'>): ChannelSource<'observability'> {
  return (socket, query) => {
    const outbox = new Outbox(socket)
    const matches = createFilter(query)
    const unsubscribe = feed.subscribe((event) => {
      const { type, span: data } = event
      if (matches(event)) outbox.offer(JSON.stringify({ type, data }))
    })
    socket.on('close', unsubscribe)
  }
}

function createFilter({ agentId, workflowId }: SpanQuery): (event: SpanEvent) => boolean {
  const filters = [
    ...(agentId === undefined ? [] : [matchSubtree(ATTRIBUTE.agentId, agentId)]),
    ...(workflowId === undefined ? [] : [matchSubtree(ATTRIBUTE.workflowId, workflowId)]),
  ]
  // every filter must see every event, because it tracks open spans
  return (event) => filters.filter((matches) => matches(event)).length === filters.length
}

/** Matches spans that have the attribute, and their descendants. */
function matchSubtree(attribute: string, id: string): (event: SpanEvent) => boolean {
  const hasAttribute = ({ attributes }: Span) => attributes[attribute] === id
  const open = new Set<string>()
  return ({ type, span }) => {
    if (type === 'span:end') return open.delete(span.spanId) || hasAttribute(span)
    const matches = hasAttribute(span) || (span.parentSpanId !== null && open.has(span.parentSpanId))
    if (matches && open.size < MAX_OPEN_SPANS) open.add(span.spanId)
    return matches
  }
}
