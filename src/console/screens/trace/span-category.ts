import { ATTRIBUTE, OPERATION } from '../../../contract/attributes.ts'
import type { Span } from '../../../contract/endpoints/trace.ts'
import { oneLine } from '../../ui/escape-text.ts'
import type { ItemKind } from '../../waterfall/tree-item.ts'

const BY_OPERATION: Readonly<Record<string, ItemKind | undefined>> = {
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

/** The kind of work that a span records. */
export function categoryOf({ attributes, kind }: Span): ItemKind {
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

/** Characters of a name that fit in a row. */
const MAX_NAME_LENGTH = 200

/** The attributes with the name of what a span is about, the best first. */
const NAMES: Readonly<Partial<Record<ItemKind, readonly string[]>>> = {
  workflow: [ATTRIBUTE.workflowName, ATTRIBUTE.workflowId],
  step: [ATTRIBUTE.stepId],
  agent: [ATTRIBUTE.agentName, ATTRIBUTE.agentId],
  tool: [ATTRIBUTE.toolName],
  model: [ATTRIBUTE.requestModel],
}

/** The name of a span in the words of runs: of the workflow, the step, the agent, the tool or the model. */
export function spanTitle(span: Span): string {
  const names = (NAMES[categoryOf(span)] ?? []).map((name) => textOf(span, name))
  return oneLine(names.find((name) => name !== '') ?? span.name, MAX_NAME_LENGTH)
}
