import { branchesOf, kindOf, propertiesOf, requiredOf, resolveSchema } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'

const MAX_DEPTH = 8

/**
 * The initial value of a form: defaults, constants and required members. What a person decides, such as a boolean or a
 * choice, is not set.
 */
export function initialValue(schema: JsonSchema, root: JsonSchema, depth = 0): unknown {
  const own = resolveSchema(schema, root)
  if (own['default'] !== undefined) return own['default']
  if (depth > MAX_DEPTH) return undefined
  switch (kindOf(own)) {
    case 'fixed':
      return own['const']
    case 'nullable':
      return null
    case 'union':
      return initialValue(branchesOf(own)[0] ?? {}, root, depth + 1)
    case 'object':
      return Object.fromEntries(
        Object.entries(propertiesOf(own))
          .map(([name, member]) => [name, member, requiredOf(own).includes(name)] as const)
          .filter(([, member, required]) => required || resolveSchema(member, root)['default'] !== undefined)
          .map(([name, member]) => [name, initialValue(member, root, depth + 1)]),
      )
    case 'record':
      return {}
    case 'array':
      return Array.from({ length: Math.min(Number(own['minItems'] ?? 0), 3) }, () =>
        initialValue((own['items'] ?? {}) as JsonSchema, root, depth + 1),
      )
    case 'string':
      return ''
    default:
      return undefined
  }
}
