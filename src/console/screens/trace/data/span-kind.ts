import type { Span } from '../../../../contract/endpoints/trace.ts'

/** What a span stands for, as its colour tells. */
export type SpanSort = 'request' | 'workflow' | 'step' | 'agent' | 'model' | 'tool' | 'mcp' | 'other'

/** Name and colour of each, in the order of the legend. */
export const SPAN_SORTS: Readonly<Record<SpanSort, readonly [name: string, tone: string]>> = {
  request: ['request', 'bg-kind-group'],
  workflow: ['workflow', 'bg-kind-workflow'],
  step: ['step', 'bg-kind-code'],
  agent: ['agent', 'bg-kind-agent'],
  model: ['model call', 'bg-kind-model'],
  tool: ['tool', 'bg-kind-tool'],
  mcp: ['MCP', 'bg-kind-tap'],
  other: ['other', 'bg-kind-own'],
}

const BY_OPERATION: Readonly<Record<string, SpanSort | undefined>> = {
  invoke_workflow: 'workflow',
  invoke_agent: 'agent',
  create_agent: 'agent',
  execute_tool: 'tool',
  chat: 'model',
  text_completion: 'model',
  generate_content: 'model',
  embeddings: 'model',
}

export function sortOf({ attributes, kind }: Span): SpanSort {
  const operation = attributes['gen_ai.operation.name']
  const known = typeof operation === 'string' ? BY_OPERATION[operation] : undefined
  if (known) return known
  if ('agentserver.step.id' in attributes) return 'step'
  if ('mcp.method.name' in attributes) return 'mcp'
  return kind === 'server' ? 'request' : 'other'
}

/** What a text attribute says; empty without it. */
export function textOf({ attributes }: Span, name: string): string {
  const value = attributes[name]
  return typeof value === 'string' ? value : ''
}
