import { globalRegistry, registry, toJSONSchema } from 'zod/v4/core'
import type { $ZodType } from 'zod/v4/core'
import { isSchemaObject, opaqueSchema } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'

/** A zod 4 schema. It may belong to another copy of zod. */
export type Zod4Schema = $ZodType

export function isZod4Schema(schema: object): schema is Zod4Schema {
  return '_zod' in schema
}

/**
 * The JSON Schema of the input or output of a zod 4 schema. Types that JSON lacks are named in a description.
 *
 * @throws Error when zod can't convert it, for example if two schemas have the same `id`.
 */
export function zod4ToJsonSchema(schema: Zod4Schema, io: 'input' | 'output'): JsonSchema {
  return toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    metadata: METADATA,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const replacement = replacementFor(zodSchema._zod.def)
      if (replacement === undefined || !Object.keys(jsonSchema).every((key) => ANNOTATIONS.has(key))) return
      Object.assign(jsonSchema, { ...replacement, ...jsonSchema })
    },
  })
}

/** Reads the schema's own metadata: early releases of zod 4 keep it in a registry that other copies can't access. */
const METADATA = Object.assign(registry<Record<string, unknown>>(), { get: metadataOf })

function metadataOf(schema: $ZodType): Record<string, unknown> | undefined {
  const meta: unknown =
    'meta' in schema && typeof schema.meta === 'function' ? schema.meta() : globalRegistry.get(schema)
  return isSchemaObject(meta) ? meta : undefined
}

const ANNOTATIONS = new Set([
  '$comment',
  'default',
  'deprecated',
  'description',
  'examples',
  'id',
  'readOnly',
  'title',
])

const REPLACEMENTS: Record<string, JsonSchema | undefined> = {
  date: { type: 'string', format: 'date-time' },
  undefined: { not: {} },
  void: { not: {} },
  bigint: opaqueSchema('A bigint'),
  symbol: opaqueSchema('A symbol'),
  nan: opaqueSchema('NaN'),
  map: opaqueSchema('A Map'),
  set: opaqueSchema('A Set'),
  function: opaqueSchema('A function'),
  custom: opaqueSchema('Validated by a custom function'),
  transform: opaqueSchema('The result of a transform'),
}

function replacementFor(def: { readonly type: string; readonly values?: unknown }): JsonSchema | undefined {
  // only z.literal(undefined) gets here: all other literals are converted
  if (def.type === 'literal') return { not: {} }
  return REPLACEMENTS[def.type]
}
