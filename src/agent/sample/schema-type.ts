import type { JsonSchema } from '../../lib/schema/json-schema.ts'

/** The type of the value to generate: the first that is not null, otherwise derived from the other keywords. */
export function typeOf(schema: JsonSchema): unknown {
  const types = [schema['type'] ?? []].flat()
  const type: unknown = types.find((type) => type !== 'null') ?? types[0]
  if (type !== undefined) return type
  if ('properties' in schema || 'required' in schema || 'additionalProperties' in schema) return 'object'
  if ('items' in schema || 'prefixItems' in schema) return 'array'
  const isNumber = 'minimum' in schema || 'maximum' in schema || 'multipleOf' in schema
  return isNumber ? 'number' : 'string'
}

/** The estimated complexity of a variant; 0 for null. */
export function costOf(schema: JsonSchema): number {
  const cost: Readonly<Record<string, number>> = { null: 0, array: 2, object: 3 }
  if ('$ref' in schema) return 4
  return schema['const'] === null ? 0 : (cost[String(typeOf(schema))] ?? 1)
}
