import { ATTRIBUTE, OPERATION } from '../../../contract/attributes.ts'
import type { Span } from '../../../contract/endpoints/trace.ts'

/** The kind of work that a span records, shown by its colour. */
export type SpanCategory = 'request' | 'workflow' | 'step' | 'agent' | 'model' | 'tool' | 'mcp' | 'other'

/** Name and colour of each kind, in the order of the legend. */
export const SPAN_CATEGORIES: Readonly<Record<SpanCategory, readonly [name: string, tone: string]>> = {
  request: ['request', 'bg-kind-group'],
  workflow: ['workflow', 'bg-kind-workflow'],
  step: ['step', 'bg-kind-code'],
  agent: ['agent', 'bg-kind-agent'],
  model: ['model call', 'bg-kind-model'],
  tool: ['tool', 'bg-kind-tool'],
  mcp: ['MCP', 'bg-kind-tap'],
  other: ['other', 'bg-kind-own'],
}

const BY_OPERATION: Readonly<Record<string, SpanCategory | undefined>> = {
  [OPERATION.workflow]: 'workflow',
  [OPERATION.agent]: 'agent',
  [OPERATION.tool]: 'tool',
  [OPERATION.chat]: 'model',
  // operations of other instrumentation
  create_agent: 'agent',
  text_completion: 'model',
  generate_content: 'model',
  embeddings: 'model',
}

export function categoryOf({ attributes, kind }: Span): SpanCategory {
  const operation = attributes[ATTRIBUTE.operation]
  const known = typeof operation === 'string' ? BY_OPERATION[operation] : undefined
  if (known) return known
  if (ATTRIBUTE.stepId in attributes) return 'step'
  if (ATTRIBUTE.mcpMethod in attributes) return 'mcp'
  return kind === 'server' ? 'request' : 'other'
}

/** The value of a text attribute; empty without it. */
export function textOf({ attributes }: Span, name: string): string {
  const value = attributes[name]
  return typeof value === 'string' ? value : ''
}
