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
    const callees = calleesOf(span)
    if (type === 'span:start') {
      const node = callees.at(-1) ?? from
      if (node !== null && open.size < MAX_OPEN_SPANS) open.set(id, node)
      for (const call of callsOf(id, from, callees)) publish({ type: 'call:start', data: call })
      return
    }
    open.delete(id)
    const error = span.status === 'error' ? messageOf(span) : null
    for (const call of callsOf(id, from, callees)) publish({ type: 'call:end', data: { ...call, error } })
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

/** The calls of a span, each by the callee before. */
function callsOf(id: string, from: string | null, callees: readonly string[]): readonly CallStart[] {
  return callees.map((to, index) =>
    index === 0 ? { id, from, to } : { id: `${id} ${to}`, from: callees[index - 1] ?? null, to },
  )
}

function tokensOf({ attributes }: Span): number {
  const count = (name: string) => Number(attributes[name] ?? 0) || 0
  return count(ATTRIBUTE.inputTokens) + count(ATTRIBUTE.outputTokens)
}

function messageOf({ statusMessage, attributes }: Span): string {
  const type = attributes[ATTRIBUTE.errorType]
  return (statusMessage ?? (typeof type === 'string' ? type : 'failed')).slice(0, MAX_MESSAGE)
}
