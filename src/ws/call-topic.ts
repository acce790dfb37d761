import { ATTRIBUTE } from '../contract/attributes.ts'
import type { CallFrame, CallStart } from '../contract/channels.ts'
import type { Span, SpanEvent } from '../contract/endpoints/trace.ts'
import type { SpanFeed } from '../observability/tracing/record/span-feed.ts'

/** The maximum number of open spans to track. Calls below further ones have no caller. */
const MAX_OPEN_SPANS = 10_000
const MAX_MESSAGE = 200

/** Attributes that name the callee of a span, by its operation. */
const NAMED_BY: Readonly<Record<string, readonly [kind: string, attribute: string]>> = {
  invoke_workflow: ['workflow', ATTRIBUTE.workflowId],
  invoke_agent: ['agent', ATTRIBUTE.agentId],
  execute_tool: ['tool', ATTRIBUTE.toolName],
}

/** What is known of an open span. */
interface OpenSpan {
  /** The node within which it runs. */
  readonly node: string
  readonly executionId: string | undefined
}

/** Publishes who calls whom: small frames without contents, made of the spans of executions, agents and tools. */
export function followCalls(
  spans: Pick<SpanFeed, 'subscribe'>,
  publish: (frame: CallFrame) => void,
): () => void {
  const open = new Map<string, OpenSpan>()
  return spans.subscribe(({ type, span }: SpanEvent) => {
    const { spanId: id, parentSpanId } = span
    const parent = parentSpanId === null ? undefined : open.get(parentSpanId)
    const from = parent?.node ?? null
    const callees = calleesOf(span)
    const executionId = executionOf(span) ?? parent?.executionId
    const calls = callsOf(span, { from, callees, executionId })
    if (type === 'span:start') {
      const node = callees.at(-1) ?? from
      if (node !== null && open.size < MAX_OPEN_SPANS) open.set(id, { node, executionId })
      for (const data of calls) publish({ type: 'call:start', data })
      return
    }
    open.delete(id)
    const error = span.status === 'error' ? messageOf(span) : null
    for (const call of calls) publish({ type: 'call:end', data: { ...call, error } })
    const tokens = callees.length === 0 && from !== null ? tokensOf(span) : 0
    if (tokens > 0 && from !== null) publish({ type: 'call:tokens', data: { node: from, tokens } })
  })
}

/** What a span calls: one node, or the tool of an MCP server of ours by way of the server. */
function calleesOf({ kind, attributes }: Span): readonly string[] {
  const { [ATTRIBUTE.mcpServerId]: server, [ATTRIBUTE.operation]: operation } = attributes
  const [type, attribute = ''] = NAMED_BY[String(operation)] ?? []
  const name = attributes[attribute]
  const named = type === undefined || typeof name !== 'string' ? [] : [`${type}:${name}`]
  if (typeof server !== 'string') return named
  return [`mcp:${server}`, ...(kind === 'server' ? named : [])]
}

function executionOf({ attributes: { [ATTRIBUTE.executionId]: id } }: Span): string | undefined {
  return typeof id === 'string' ? id : undefined
}

interface Callees {
  readonly from: string | null
  readonly callees: readonly string[]
  readonly executionId: string | undefined
}

/** The calls of a span, each by the callee before. */
function callsOf({ spanId, traceId }: Span, { from, callees, executionId }: Callees): readonly CallStart[] {
  return callees.map((to, index) => ({
    id: index === 0 ? spanId : `${spanId} ${to}`,
    from: index === 0 ? from : (callees[index - 1] ?? null),
    to,
    traceId,
    ...(executionId !== undefined && { executionId }),
  }))
}

function tokensOf({ attributes }: Span): number {
  const count = (name: string) => Number(attributes[name] ?? 0) || 0
  return count(ATTRIBUTE.inputTokens) + count(ATTRIBUTE.outputTokens)
}

function messageOf({ statusMessage, attributes }: Span): string {
  const type = attributes[ATTRIBUTE.errorType]
  return (statusMessage ?? (typeof type === 'string' ? type : 'failed')).slice(0, MAX_MESSAGE)
}
