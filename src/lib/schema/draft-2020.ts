import { isSchemaObject, type JsonSchema } from './json-schema.ts'

const HOLDS_SCHEMA = new Set([
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
const HOLDS_LIST = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems'])
const HOLDS_MAP = new Set(['$defs', 'definitions', 'dependentSchemas', 'patternProperties', 'properties'])
/** `$schema` names the dialect just left; `$async` is no JSON Schema, and would make ajv answer with a promise. */
const DROPPED = new Set(['$schema', '$async'])

/** Draft 4 had booleans beside the limits they concern. */
const EXCLUSIVE = new Map([
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
])

/** A copy of a schema of any draft since 4, in the words of draft 2020-12 and without `$schema`. */
export function toDraft2020(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).flatMap((entry) => convertKeyword(entry, schema)))
}

type Entry = readonly [string, unknown]

function convertKeyword([keyword, value]: Entry, schema: JsonSchema): Entry[] {
  if (DROPPED.has(keyword)) return []
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
  if (Array.isArray(value) && HOLDS_LIST.has(keyword)) {
    return [[keyword === 'items' ? 'prefixItems' : keyword, value.map(convertSchema)]]
  }
  if (isSchemaObject(value) && HOLDS_MAP.has(keyword)) return [convertMap(keyword, value, schema)]
  return [[keyword, HOLDS_SCHEMA.has(keyword) ? convertSchema(value) : value]]
}

function convertMap(keyword: string, schemas: JsonSchema, schema: JsonSchema): Entry {
  const converted = Object.entries(schemas).map(([name, value]): Entry => [name, convertSchema(value)])
  if (keyword !== 'definitions' && keyword !== '$defs') return [keyword, Object.fromEntries(converted)]
  // a schema may have both; whichever comes last carries the other's too
  const other = schema[keyword === '$defs' ? 'definitions' : '$defs']
  const others = isSchemaObject(other)
    ? Object.entries(other).map(([name, value]): Entry => [name, convertSchema(value)])
    : []
  return ['$defs', Object.fromEntries([...others, ...converted])]
}

/** Draft 7's one keyword became two: lists of names, and schemas. */
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

/** Renames the keywords in `#/definitions/…`, leaving alone the names and indexes between them. */
function convertPointer(ref: string): string {
  const [base = '', pointer] = ref.split('#', 2)
  if (pointer === undefined || !pointer.startsWith('/')) return ref
  let isKeyword = true
  const tokens = pointer
    .slice(1)
    .split('/')
    .map((token, index, all) => {
      const keyword = isKeyword ? renamed(token, all[index + 1]) : token
      isKeyword = !isKeyword || !(HOLDS_MAP.has(keyword) || (HOLDS_LIST.has(keyword) && keyword !== 'items'))
      return keyword
    })
  return `${base}#/${tokens.join('/')}`
}

function renamed(keyword: string, next: string | undefined): string {
  if (keyword === 'definitions') return '$defs'
  if (keyword === 'dependencies') return 'dependentSchemas'
  if (keyword === 'additionalItems') return 'items'
  return keyword === 'items' && next !== undefined && /^\d+$/.test(next) ? 'prefixItems' : keyword
}
