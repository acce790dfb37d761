import { globalRegistry, registry, toJSONSchema, type $ZodType } from 'zod/v4/core'
import { isSchemaObject, type JsonSchema, opaqueSchema } from './json-schema.ts'

/** A zod 4 schema of whichever copy of zod the user has installed. */
export type Zod4Schema = $ZodType

export function isZod4Schema(schema: object): schema is Zod4Schema {
  return '_zod' in schema
}

/**
 * The JSON Schema of what a zod 4 schema takes or yields; types JSON lacks are named in a description.
 *
 * @throws Error when zod can't convert it, as with two schemas of one `id`.
 */
export function zod4ToJsonSchema(schema: Zod4Schema, io: 'input' | 'output'): JsonSchema {
  return toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    metadata: METADATA,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const stand = standIn(zodSchema._zod.def)
      if (stand === undefined || !Object.keys(jsonSchema).every((key) => ANNOTATIONS.has(key))) return
      Object.assign(jsonSchema, { ...stand, ...jsonSchema })
    },
  })
}

/** Asks the schema itself: early releases of zod 4 keep descriptions in a registry that only they see. */
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

const STAND_INS: Record<string, JsonSchema | undefined> = {
  date: { type: 'string', format: 'date-time' },
  undefined: { not: {} },
  void: { not: {} },
  bigint: opaqueSchema('A bigint'),
  symbol: opaqueSchema('A symbol'),
  nan: opaqueSchema('NaN'),
  map: opaqueSchema('A Map'),
  set: opaqueSchema('A Set'),
  function: opaqueSchema('A function'),
  custom: opaqueSchema('Checked by a custom function'),
  transform: opaqueSchema('The result of a transform'),
}

function standIn(def: { readonly type: string; readonly values?: unknown }): JsonSchema | undefined {
  // the one literal without a JSON form
  if (def.type === 'literal') return { not: {} }
  return STAND_INS[def.type]
}
