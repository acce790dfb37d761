import type { TraceEntity } from '../../../contract/endpoints/trace.ts'
import { toNanoDollars } from '../../../contract/usage/cost.ts'
import { ATTRIBUTE, OPERATION } from '../../../contract/attributes.ts'
import type { Subject, TokenCount, TraceSubject } from '../../../store/trace-store.ts'
import type { SpanData } from '../span/span-data.ts'

/** The workflow, agent, tool or MCP server that a span belongs to. */
export function entityOf({ attributes, name }: SpanData): TraceEntity | undefined {
  const text = (key: string) => {
    const value = attributes[key]
    return typeof value === 'string' ? value : undefined
  }
  const named = (type: TraceEntity['type'], id: string | undefined, shown: string | undefined) =>
    id === undefined ? undefined : { type, id, name: shown ?? id }
  const serverId = text(ATTRIBUTE.mcpServerId)
  if (serverId !== undefined) return named('mcp', serverId, undefined)
  switch (text(ATTRIBUTE.operation)) {
    case OPERATION.workflow:
      return named('workflow', text(ATTRIBUTE.workflowId) ?? name, text(ATTRIBUTE.workflowName))
    case OPERATION.agent:
      return named('agent', text(ATTRIBUTE.agentId) ?? text(ATTRIBUTE.agentName), text(ATTRIBUTE.agentName))
    case OPERATION.tool:
      return named('tool', text(ATTRIBUTE.toolName), undefined)
    default:
      return undefined
  }
}

const SUBJECT_ATTRIBUTES: readonly (readonly [Subject, string])[] = [
  ['executionId', ATTRIBUTE.executionId],
  ['workflowId', ATTRIBUTE.workflowId],
  ['agentId', ATTRIBUTE.agentId],
  ['conversationId', ATTRIBUTE.conversationId],
  ['userId', ATTRIBUTE.userId],
]

/** Adds to `found` the ids by which a trace with this span can be filtered. */
export function subjectsOf({ attributes }: SpanData, found: TraceSubject[]): void {
  for (const [subject, name] of SUBJECT_ATTRIBUTES) {
    const id = attributes[name]
    if (typeof id === 'string' && !found.some((one) => one[1] === id && one[0] === subject))
      found.push([subject, id])
  }
}

/** Whether the tokens of a span count: those of model calls, not of the agents around them. */
export function isModelCall({ attributes }: SpanData): boolean {
  return attributes[ATTRIBUTE.operation] === OPERATION.chat
}

/** The tokens and the cost of a model call, added to `sum`. */
export function tokensOf({ attributes }: SpanData, sum: TokenCount | undefined): TokenCount {
  const count = (name: string) => Number(attributes[name]) || 0
  const { [ATTRIBUTE.cost]: cost } = attributes
  const before = sum ? sum.costNano : 0
  return {
    inputTokens: (sum?.inputTokens ?? 0) + count(ATTRIBUTE.inputTokens),
    outputTokens: (sum?.outputTokens ?? 0) + count(ATTRIBUTE.outputTokens),
    costNano: before === null || typeof cost !== 'number' ? null : before + toNanoDollars(cost),
  }
}
