import { createRequire } from 'node:module'
import { isSchemaObject, type JsonSchema, opaqueSchema } from './json-schema.ts'
import { lazy } from '../async/lazy.ts'

/** A zod 3 schema of whichever copy of zod the user has installed. */
export interface Zod3Schema {
  readonly _def: Zod3Def
}

interface Zod3Def {
  readonly typeName: string
  readonly description?: string | undefined
  readonly effect?: { readonly type: string }
  readonly schema?: Zod3Schema
}

export function isZod3Schema(schema: object): schema is Zod3Schema {
  return '_def' in schema && isSchemaObject(schema._def) && typeof schema._def['typeName'] === 'string'
}

/** The part of zod-to-json-schema used here, in terms that fit any copy of zod 3. */
interface Library {
  readonly ignoreOverride: symbol
  readonly zodToJsonSchema: (schema: Zod3Schema, options: Options) => JsonSchema
  readonly parseDef: (def: Zod3Def, refs: unknown, forced: boolean) => unknown
}

interface Options {
  readonly target: 'jsonSchema2019-09'
  readonly pipeStrategy: 'input' | 'output'
  readonly removeAdditionalStrategy: 'passthrough' | 'strict'
  readonly allowedAdditionalProperties: undefined
  override(def: Zod3Def, refs: unknown, seen: Seen | undefined, forced: boolean | undefined): unknown
}

interface Seen {
  readonly path: readonly string[]
  /** Absent while the schema is being converted, that is: inside itself. */
  readonly jsonSchema: unknown
}

// on first use: it brings a second zod along, which projects on zod 4 never need
const library = lazy((): Library => createRequire(import.meta.url)('zod-to-json-schema'))

/** The JSON Schema of what a zod 3 schema takes or yields; types JSON lacks are named in a description. */
export function zod3ToJsonSchema(schema: Zod3Schema, io: 'input' | 'output'): JsonSchema {
  const { zodToJsonSchema, parseDef, ignoreOverride } = library()
  return zodToJsonSchema(schema, {
    target: 'jsonSchema2019-09',
    pipeStrategy: io,
    // a plain object takes further keys, and drops them
    removeAdditionalStrategy: io === 'input' ? 'strict' : 'passthrough',
    allowedAdditionalProperties: undefined,
    override: (def, refs, seen, forced) => {
      const stand = standIn(def, io)
      if (stand !== undefined) return describedBy(def, stand)
      if (seen === undefined || forced === true) return ignoreOverride
      // only a schema within itself becomes a reference; one that is merely used twice is repeated
      return seen.jsonSchema === undefined ? { $ref: toPointer(seen.path) } : parseDef(def, refs, true)
    },
  })
}

const STAND_INS: Record<string, JsonSchema | undefined> = {
  ZodUndefined: { not: {} },
  ZodVoid: { not: {} },
  ZodBigInt: opaqueSchema('A bigint'),
  ZodSymbol: opaqueSchema('A symbol'),
  ZodNaN: opaqueSchema('NaN'),
  ZodMap: opaqueSchema('A Map'),
  ZodSet: opaqueSchema('A Set'),
  ZodFunction: opaqueSchema('A function'),
}

function standIn(def: Zod3Def, io: 'input' | 'output'): JsonSchema | undefined {
  if (def.typeName !== 'ZodEffects') return STAND_INS[def.typeName]
  if (def.effect?.type === 'transform') {
    return io === 'output' ? opaqueSchema('The result of a transform') : undefined
  }
  const inner = def.schema?._def.typeName
  // what z.custom() and z.instanceof() build
  return inner === 'ZodAny' || inner === 'ZodUnknown'
    ? opaqueSchema('Checked by a custom function')
    : undefined
}

function describedBy(def: Zod3Def, schema: JsonSchema): JsonSchema {
  return def.description === undefined ? schema : { ...schema, description: def.description }
}

function toPointer(path: readonly string[]): string {
  return path.map((token) => token.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
}
