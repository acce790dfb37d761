import type { Span } from '../../../../contract/endpoints/trace.ts'

export interface AttributeGroup {
  readonly name: string
  readonly attributes: readonly (readonly [name: string, value: unknown])[]
}

/** Names of groups, by how their attributes begin. */
const GROUPS = [
  ['HTTP', /^(http|url|server|client|network|user_agent)\./],
  ['GenAI', /^gen_ai\./],
  ['MCP', /^mcp\./],
  ['agentserver', /^agentserver\./],
] as const

/** Attributes that hold what was said or given, with what they are called. */
export const CONTENTS = [
  ['agentserver.execution.input', 'Input'],
  ['agentserver.execution.output', 'Output'],
  ['agentserver.step.input', 'Input'],
  ['agentserver.step.output', 'Output'],
  ['gen_ai.tool.call.arguments', 'Arguments'],
  ['gen_ai.tool.call.result', 'Result'],
] as const

/** Attributes that hold messages, with who says them if they don't tell. */
export const MESSAGES = [
  ['gen_ai.system_instructions', 'system'],
  ['gen_ai.input.messages', 'user'],
  ['gen_ai.output.messages', 'assistant'],
] as const

/** A span's attributes without those that are shown for themselves, by what they are of. */
export function attributeGroups({ attributes }: Span, shown: ReadonlySet<string>): AttributeGroup[] {
  const groups = new Map<string, [string, unknown][]>()
  for (const [name, value] of Object.entries(attributes)) {
    if (shown.has(name)) continue
    const group = GROUPS.find(([, begins]) => begins.test(name))?.[0] ?? 'Other'
    const members = groups.get(group) ?? []
    groups.set(group, members)
    members.push([name, value])
  }
  return [...groups].map(([name, members]) => ({
    name,
    attributes: members.toSorted(([a], [b]) => (a < b ? -1 : 1)),
  }))
}
