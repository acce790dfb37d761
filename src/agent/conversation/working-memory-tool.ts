import type { JsonSchema } from '../../lib/schema/json-schema.ts'
import { compileSchema } from '../../lib/schema/schema.ts'
import type { Schema } from '../../lib/schema/schema.ts'
import type { Tool } from '../tools/tool.ts'

/** The name of the tool by which a model updates its working memory. */
export const WORKING_MEMORY_TOOL = 'update_working_memory'

const DESCRIPTION = `Stores what to remember about the user in later conversations. Pass only the members that \
change; null removes a member. Call it whenever the user says something that belongs there.`

/** The tool by which the model of an agent updates its working memory. */
export function workingMemoryTool(
  schema: Schema,
  update: (change: Readonly<Record<string, unknown>>) => Promise<unknown>,
): Tool {
  return Object.freeze({
    name: WORKING_MEMORY_TOOL,
    description: DESCRIPTION,
    inputSchema: changeSchema(compileSchema(schema).input),
    needsApproval: () => false,
    problems: [],
    execute: (input: unknown) => update(input as Record<string, unknown>),
  })
}

/** The schema of a change: any members of the object, or null to remove one. */
function changeSchema({ required: _, properties, ...schema }: JsonSchema): JsonSchema {
  const members = Object.entries((properties ?? {}) as Record<string, JsonSchema>)
  return {
    ...schema,
    properties: Object.fromEntries(
      members.map(([name, member]) => [name, { anyOf: [member, { type: 'null' }] }]),
    ),
  }
}
