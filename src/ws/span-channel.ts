import type { Span, SpanEvent } from '../contract/endpoints/trace.ts'
import { ATTRIBUTE } from '../contract/attributes.ts'
import type { SpanFeed } from '../observability/tracing/record/span-feed.ts'
import type { ChannelSource } from './channels.ts'
import { Outbox } from './outbox.ts'

interface SpanQuery {
  readonly agentId?: string | undefined
  readonly workflowId?: string | undefined
}

/** Spans that are open at a time and known to fit; of more than these, what is below them is left out. */
const MAX_OPEN_SPANS = 10_000

/** Sends spans as they start and end, those that fit the query. */
export function spanChannel(feed: Pick<SpanFeed, 'subscribe'>): ChannelSource<'observability'> {
  return (socket, query) => {
    const outbox = new Outbox(socket)
    const fits = spanFilter(query)
    const unsubscribe = feed.subscribe((event) => {
      const { type, span: data } = event
      if (fits(event)) outbox.offer(JSON.stringify({ type, data }))
    })
    socket.on('close', unsubscribe)
  }
}

function spanFilter({ agentId, workflowId }: SpanQuery): (event: SpanEvent) => boolean {
  const wanted = [
    ...(agentId === undefined ? [] : [spansOf(ATTRIBUTE.agentId, agentId)]),
    ...(workflowId === undefined ? [] : [spansOf(ATTRIBUTE.workflowId, workflowId)]),
  ]
  // each follows the spans for itself
  return (event) => wanted.filter((fits) => fits(event)).length === wanted.length
}

/** A span fits by what it is about, or by what a span above it is about. */
function spansOf(attribute: string, id: string): (event: SpanEvent) => boolean {
  const isAbout = ({ attributes }: Span) => attributes[attribute] === id
  const open = new Set<string>()
  return ({ type, span }) => {
    if (type === 'span:end') return open.delete(span.spanId) || isAbout(span)
    const fits = isAbout(span) || (span.parentSpanId !== null && open.has(span.parentSpanId))
    if (fits && open.size < MAX_OPEN_SPANS) open.add(span.spanId)
    return fits
  }
}
