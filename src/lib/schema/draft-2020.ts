import { isSchemaObject } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'

const SCHEMA_KEYWORDS = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
])
const SCHEMA_LIST_KEYWORDS = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'])
const SCHEMA_MAP_KEYWORDS = new Set([
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'properties',
])
/** `$schema` names the source draft. `$async` is an ajv extension that makes validation return a promise. */
const REMOVED_KEYWORDS = new Set(['$schema', '$async'])

/** In draft 4, `exclusiveMinimum` and `exclusiveMaximum` are booleans that modify `minimum` and `maximum`. */
const EXCLUSIVE = new Map([
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
])

/** Converts a schema of draft 4 or later to draft 2020-12, without `$schema`. Returns a copy. */
export function toDraft2020(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).flatMap((entry) => convertKeyword(entry, schema)))
}

type Entry = readonly [string, unknown]

function convertKeyword([keyword, value]: Entry, schema: JsonSchema): Entry[] {
  if (REMOVED_KEYWORDS.has(keyword)) return []
  if (keyword === '$ref' && typeof value === 'string') return [['$ref', convertPointer(value)]]
  const isAnchor = keyword === '$id' && typeof value === 'string' && value.startsWith('#')
  if (isAnchor) return [['$anchor', value.slice(1)]]
  if (keyword === 'dependencies' && isSchemaObject(value)) return splitDependencies(value)
  const exclusive = EXCLUSIVE.get(keyword)
  if (exclusive !== undefined && schema[exclusive] === true) return [[exclusive, value]]
  if (keyword.startsWith('exclusive') && typeof value === 'boolean') return []
  return convertSubschemas(keyword, value, schema)
}

function convertSubschemas(keyword: string, value: unknown, schema: JsonSchema): Entry[] {
  if (keyword === 'additionalItems') {
    return Array.isArray(schema['items']) ? [['items', convertSchema(value)]] : []
  }
  if (Array.isArray(value) && SCHEMA_LIST_KEYWORDS.has(keyword)) {
    return [[keyword === 'items' ? 'prefixItems' : keyword, value.map(convertSchema)]]
  }
  if (isSchemaObject(value) && SCHEMA_MAP_KEYWORDS.has(keyword)) return [convertMap(keyword, value, schema)]
  return [[keyword, SCHEMA_KEYWORDS.has(keyword) ? convertSchema(value) : value]]
}

function convertMap(keyword: string, schemas: JsonSchema, schema: JsonSchema): Entry {
  const converted = Object.entries(schemas).map(([name, value]): Entry => [name, convertSchema(value)])
  if (keyword !== 'definitions' && keyword !== '$defs') return [keyword, Object.fromEntries(converted)]
  // a schema may have both keywords: the entry of the later one replaces the other, so each includes both
  const other = schema[keyword === '$defs' ? 'definitions' : '$defs']
  const others = isSchemaObject(other)
    ? Object.entries(other).map(([name, value]): Entry => [name, convertSchema(value)])
    : []
  return ['$defs', Object.fromEntries([...others, ...converted])]
}

/** Draft 2019-09 split `dependencies` into `dependentRequired` (lists of names) and `dependentSchemas`. */
function splitDependencies(dependencies: JsonSchema): Entry[] {
  const entries = Object.entries(dependencies)
  const names = entries.filter(([, value]) => Array.isArray(value))
  const schemas = entries.filter(([, value]) => !Array.isArray(value))
  const split: Entry[] = []
  if (names.length > 0) split.push(['dependentRequired', Object.fromEntries(names)])
  if (schemas.length > 0) {
    split.push([
      'dependentSchemas',
      Object.fromEntries(schemas.map(([name, value]) => [name, convertSchema(value)])),
    ])
  }
  return split
}

function convertSchema(schema: unknown): unknown {
  return isSchemaObject(schema) ? toDraft2020(schema) : schema
}

/** Renames the keywords in a pointer such as `#/definitions/items`, but not the property names and indexes in it. */
function convertPointer(ref: string): string {
  const [base = '', pointer] = ref.split('#', 2)
  if (pointer === undefined || !pointer.startsWith('/')) return ref
  let isKeyword = true
  const tokens = pointer
    .slice(1)
    .split('/')
    .map((token, index, all) => {
      const keyword = isKeyword ? renameKeyword(token, all[index + 1]) : token
      isKeyword =
        !isKeyword ||
        !(SCHEMA_MAP_KEYWORDS.has(keyword) || (SCHEMA_LIST_KEYWORDS.has(keyword) && keyword !== 'items'))
      return keyword
    })
  return `${base}#/${tokens.join('/')}`
}

function renameKeyword(keyword: string, next: string | undefined): string {
  if (keyword === 'definitions') return '$defs'
  if (keyword === 'dependencies') return 'dependentSchemas'
  if (keyword === 'additionalItems') return 'items'
  return keyword === 'items' && next !== undefined && /^\d+$/.test(next) ? 'prefixItems' : keyword
}
