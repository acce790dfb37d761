import { ATTRIBUTE } from '../../../../contract/attributes.ts'
import type { Span } from '../../../../contract/endpoints/trace.ts'

export interface AttributeGroup {
  readonly name: string
  readonly attributes: readonly (readonly [name: string, value: unknown])[]
}

/** Names of the groups, by the prefix of their attributes. */
const GROUPS = [
  ['HTTP', /^(http|url|server|client|network|user_agent)\./],
  ['GenAI', /^gen_ai\./],
  ['MCP', /^mcp\./],
  ['agentserver', /^agentserver\./],
] as const

/** Attributes with inputs and outputs, and their titles. */
export const CONTENTS = [
  [ATTRIBUTE.executionInput, 'Input'],
  [ATTRIBUTE.executionOutput, 'Output'],
  [ATTRIBUTE.stepInput, 'Input'],
  [ATTRIBUTE.stepOutput, 'Output'],
  [ATTRIBUTE.toolArguments, 'Arguments'],
  [ATTRIBUTE.toolResult, 'Result'],
] as const

/** Attributes with messages, and the role of messages without one. */
export const MESSAGES = [
  [ATTRIBUTE.systemInstructions, 'system'],
  [ATTRIBUTE.inputMessages, 'user'],
  [ATTRIBUTE.outputMessages, 'assistant'],
] as const

/** The attributes of a span by group, without those that are shown separately. */
export function attributeGroups({ attributes }: Span, shown: ReadonlySet<string>): AttributeGroup[] {
  const groups = new Map<string, [string, unknown][]>()
  for (const [name, value] of Object.entries(attributes)) {
    if (shown.has(name)) continue
    const group = GROUPS.find(([, prefix]) => prefix.test(name))?.[0] ?? 'Other'
    const members = groups.get(group) ?? []
    groups.set(group, members)
    members.push([name, value])
  }
  return [...groups].map(([name, members]) => ({
    name,
    attributes: members.toSorted(([a], [b]) => (a < b ? -1 : 1)),
  }))
}
