import { z } from 'zod'
import { formatPath } from '../../lib/json/json-value.ts'
import type { ConfigProblem } from '../config-error.ts'
import { unknownOption } from '../../lib/unknown-option.ts'

/** The problems of an invalid option. `others` are the options at the root that `schema` does not have. */
export function optionProblems(
  issue: z.core.$ZodIssue,
  schema: z.ZodType,
  others: readonly string[],
): ConfigProblem[] {
  const path = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))
  if (issue.code === 'unrecognized_keys') {
    const known = [...optionNames(path, schema), ...(path.length === 0 ? others : [])]
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: unknownOption([...path, key], known),
    }))
  }
  // the reason why a key is not valid
  const reason = (issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined) ?? issue.message
  return [{ path, message: `${formatPath('', path)}: ${reason}` }]
}

function optionNames(path: readonly (string | number)[], options: z.ZodType): string[] {
  let schema: unknown = z.toJSONSchema(options, { io: 'input' })
  for (const key of path) schema = propertiesOf(schema)[key] ?? valuesOf(schema)
  return Object.keys(propertiesOf(schema))
}

/** The schema of all values of a record. */
function valuesOf(schema: unknown): unknown {
  return (schema as { additionalProperties?: unknown } | undefined)?.additionalProperties
}

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  return (schema as { properties?: Readonly<Record<string, unknown>> } | undefined)?.properties ?? {}
}
