import { isSchemaObject } from '../../lib/schema/json-schema.ts'
import type { JsonSchema } from '../../lib/schema/json-schema.ts'

const MAX_REFS = 50

/**
 * Resolves the `$ref` of a schema and merges its `allOf`, so that only `anyOf` and `oneOf` remain. References are
 * resolved in `root`. An unresolvable or circular reference becomes a schema that accepts anything.
 */
export function flattenSchema(schema: unknown, root: JsonSchema): JsonSchema {
  let flat: JsonSchema = isSchemaObject(schema) ? schema : {}
  for (let hop = 0; hop < MAX_REFS; hop++) {
    const { $ref, allOf, ...rest } = flat
    if (typeof $ref === 'string') {
      flat = mergeSchemas(lookUp($ref, root), allOf === undefined ? rest : { ...rest, allOf })
    } else if (Array.isArray(allOf)) {
      flat = allOf.filter(isSchemaObject).reduce(mergeSchemas, rest)
    } else return flat
  }
  return {}
}

function lookUp(ref: string, root: JsonSchema): JsonSchema {
  if (!ref.startsWith('#')) return {}
  if (ref.length > 1 && !ref.startsWith('#/')) return findAnchor(root, ref.slice(1)) ?? {}
  let target: unknown = root
  for (const token of ref.split('/').slice(1)) {
    const key = decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~')
    target =
      typeof target === 'object' && target !== null && Object.hasOwn(target, key)
        ? Reflect.get(target, key)
        : {}
  }
  return isSchemaObject(target) ? target : {}
}

function findAnchor(root: JsonSchema, anchor: string): JsonSchema | undefined {
  const definitions = isSchemaObject(root['$defs']) ? Object.values(root['$defs']) : []
  return [root, ...definitions].filter(isSchemaObject).find((schema) => schema['$anchor'] === anchor)
}

/** A schema for values that match both schemas. */
export function mergeSchemas(one: JsonSchema, other: JsonSchema): JsonSchema {
  const merged: Record<string, unknown> = { ...one }
  for (const [keyword, value] of Object.entries(other)) {
    merged[keyword] = keyword in one ? mergeKeyword(keyword, one[keyword], value) : value
  }
  const alternatives = ['anyOf', 'oneOf'].filter((keyword) => keyword in one && keyword in other)
  if (alternatives.length === 0) return merged
  const both = alternatives.map((keyword) => ({ [keyword]: one[keyword] }))
  return { ...merged, allOf: [...(Array.isArray(merged['allOf']) ? merged['allOf'] : []), ...both] }
}

function mergeKeyword(keyword: string, one: unknown, other: unknown): unknown {
  if (typeof one === 'number' && typeof other === 'number') return mergeNumbers(keyword, one, other)
  if (keyword === 'allOf' && Array.isArray(one) && Array.isArray(other)) return [...one, ...other]
  if (keyword === 'required' && Array.isArray(one) && Array.isArray(other))
    return [...new Set([...one, ...other])]
  if (keyword === 'enum' && Array.isArray(one) && Array.isArray(other)) return intersect(one, other)
  if (keyword === 'type') return mergeTypes(one, other)
  if (keyword === 'properties' && isSchemaObject(one) && isSchemaObject(other))
    return mergeProperties(one, other)
  if (keyword === 'items' || keyword === 'additionalProperties') return both(one, other)
  return other
}

function mergeNumbers(keyword: string, one: number, other: number): number {
  if (keyword === 'multipleOf') return one % other === 0 ? one : other % one === 0 ? other : one * other
  return /^(?:min|exclusiveMin)/.test(keyword) ? Math.max(one, other) : Math.min(one, other)
}

function mergeTypes(one: unknown, other: unknown): unknown {
  const ones = [one].flat()
  const others = [other].flat()
  const types = ones.filter(
    (type) => others.includes(type) || (type === 'integer' && others.includes('number')),
  )
  return types.length > 0 ? types : others.filter((type) => type === 'integer' && ones.includes('number'))
}

function mergeProperties(one: JsonSchema, other: JsonSchema): JsonSchema {
  const shared = Object.keys(one).filter((name) => Object.hasOwn(other, name))
  return {
    ...one,
    ...other,
    ...Object.fromEntries(shared.map((name) => [name, both(one[name], other[name])])),
  }
}

function both(one: unknown, other: unknown): unknown {
  if (one === false || other === false) return false
  if (!isSchemaObject(one)) return other
  return isSchemaObject(other) ? { allOf: [one, other] } : one
}

function intersect(one: readonly unknown[], other: readonly unknown[]): unknown[] {
  const others = new Set(other.map((value) => JSON.stringify(value)))
  return one.filter((value) => others.has(JSON.stringify(value)))
}
