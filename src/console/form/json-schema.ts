/** A JSON Schema document, or a subschema. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The kind of field for a schema. */
export type FieldKind =
  | 'string'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'fixed'
  | 'nullable'
  | 'union'
  | 'object'
  | 'record'
  | 'array'
  | 'any'

/** A schema with its `$ref` and `allOf` resolved within the document `root`. */
export function resolveSchema(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let current = schema
  for (let hops = 0; typeof current['$ref'] === 'string' && hops < 20; hops++) {
    const target = schemaAt(root, current['$ref'])
    if (!target) return {}
    const { $ref: _, ...rest } = current
    current = { ...target, ...rest }
  }
  const parts = listOf(current, 'allOf')
  if (parts.length === 0) return current
  const { allOf: _, ...rest } = current
  return parts.map((part) => resolveSchema(part, root)).reduce(mergeSchemas, rest)
}

function mergeSchemas(one: JsonSchema, other: JsonSchema): JsonSchema {
  return {
    ...one,
    ...other,
    ...(one['properties'] && other['properties']
      ? { properties: { ...propertiesOf(one), ...propertiesOf(other) } }
      : {}),
    ...(one['required'] && other['required'] ? { required: [...requiredOf(one), ...requiredOf(other)] } : {}),
  }
}

/** The schema at a reference such as `#/$defs/Name` or `#`. */
export function schemaAt(root: JsonSchema, reference: string): JsonSchema | undefined {
  let current: unknown = root
  for (const part of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (!isObject(current) || !Object.hasOwn(current, name)) return undefined
    current = current[name]
  }
  return isObject(current) ? current : undefined
}

/** The kind of field for a resolved schema. */
export function kindOf(schema: JsonSchema): FieldKind {
  if ('const' in schema) return 'fixed'
  if (Array.isArray(schema['enum'])) return 'choice'
  const branches = branchesOf(schema)
  if (branches.length > 0) return branches.length === 2 && branches.some(isNull) ? 'nullable' : 'union'
  const type = typesOf(schema)
  if (type.length !== 1) return schema['properties'] === undefined ? 'any' : 'object'
  if (type[0] === 'object') return schema['properties'] === undefined ? recordKind(schema) : 'object'
  if (type[0] === 'integer') return 'number'
  if (type[0] === 'array') return Array.isArray(schema['prefixItems']) ? 'any' : 'array'
  return ['string', 'number', 'boolean'].includes(type[0] ?? '') ? (type[0] as FieldKind) : 'any'
}

function recordKind(schema: JsonSchema): FieldKind {
  return isObject(schema['additionalProperties']) ? 'record' : 'any'
}

/** The alternatives of `anyOf` or `oneOf`, or of a list of types. */
export function branchesOf(schema: JsonSchema): readonly JsonSchema[] {
  const { anyOf: _, oneOf: __, ...rest } = schema
  const shared = withoutNotes(rest)
  const branches = [...listOf(schema, 'anyOf'), ...listOf(schema, 'oneOf')]
  if (branches.length > 0) return branches.map((branch) => ({ ...shared, ...branch }))
  const types = typesOf(schema)
  return types.length > 1 ? types.map((type) => ({ ...shared, type })) : []
}

/** A nullable schema without its null branch. */
export function withoutNull(schema: JsonSchema): JsonSchema {
  const branch = branchesOf(schema).find((one) => !isNull(one))
  return { ...notesOf(schema), ...branch }
}

export function propertiesOf(schema: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return isObject(schema['properties']) ? (schema['properties'] as Record<string, JsonSchema>) : {}
}

export function requiredOf(schema: JsonSchema): readonly string[] {
  return Array.isArray(schema['required']) ? (schema['required'] as string[]) : []
}

/** An annotation of a schema, such as its `description`. */
export function noteOf(schema: JsonSchema, name: 'title' | 'description' | 'format'): string | undefined {
  const value = schema[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function typesOf({ type }: JsonSchema): readonly string[] {
  return Array.isArray(type) ? (type as string[]) : typeof type === 'string' ? [type] : []
}

function isNull(schema: JsonSchema): boolean {
  return schema['type'] === 'null' || schema['const'] === null
}

function listOf(schema: JsonSchema, name: string): readonly JsonSchema[] {
  const list = schema[name]
  return Array.isArray(list) ? list.filter(isObject) : []
}

function notesOf({ title, description, default: preset }: JsonSchema): JsonSchema {
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(preset !== undefined && { default: preset }),
  }
}

function withoutNotes(schema: JsonSchema): JsonSchema {
  const { title: _, description: __, default: ___, $defs: ____, $schema: _____, ...rest } = schema
  return rest
}
