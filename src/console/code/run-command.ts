import type { WorkflowDetail } from '../../contract/endpoints/workflow.ts'
import { shellQuote } from './shell-quote.ts'

/**
 * The command that runs a workflow with an input that its schema accepts: the schema's first example or default, or
 * `{}` when no member is required. Undefined if there is none.
 */
export function runCommand({
  id,
  inputSchema,
}: Pick<WorkflowDetail, 'id' | 'inputSchema'>): string | undefined {
  const input = acceptedInput(inputSchema)
  if (input === undefined) return undefined
  return `npx agentserver run-workflow ${shellQuote(id)} --input ${shellQuote(JSON.stringify(input))}`
}

function acceptedInput(schema: WorkflowDetail['inputSchema']): unknown {
  const { examples, default: byDefault, ...rest } = schema as Readonly<Record<string, unknown>>
  const example = Array.isArray(examples) ? (examples[0] as unknown) : undefined
  return example ?? byDefault ?? (acceptsEmpty(rest) ? {} : undefined)
}

/** Keywords that don't refuse `{}`. */
const HARMLESS = new Set(['$schema', 'title', 'description', 'type', 'properties', 'additionalProperties'])

function acceptsEmpty(schema: Readonly<Record<string, unknown>>): boolean {
  return (schema['type'] ?? 'object') === 'object' && Object.keys(schema).every((key) => HARMLESS.has(key))
}
