import { createRequire } from 'node:module'
import { isSchemaObject, opaqueSchema } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'
import { lazy } from '../async/lazy.ts'

/** A zod 3 schema. It may belong to another copy of zod. */
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

/** The used part of zod-to-json-schema, with types that accept schemas of any copy of zod 3. */
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
  /** Undefined while the schema is being converted, so that it is a recursive reference. */
  readonly jsonSchema: unknown
}

// on first use: it imports a second copy of zod, which projects with zod 4 don't need
const library = lazy((): Library => createRequire(import.meta.url)('zod-to-json-schema'))

/** The JSON Schema of the input or output of a zod 3 schema. Types that JSON lacks are named in a description. */
export function zod3ToJsonSchema(schema: Zod3Schema, io: 'input' | 'output'): JsonSchema {
  const { zodToJsonSchema, parseDef, ignoreOverride } = library()
  return zodToJsonSchema(schema, {
    target: 'jsonSchema2019-09',
    pipeStrategy: io,
    // z.object() accepts unknown keys in its input, and removes them from its output
    removeAdditionalStrategy: io === 'input' ? 'strict' : 'passthrough',
    allowedAdditionalProperties: undefined,
    override: (def, refs, seen, forced) => {
      const replacement = replacementFor(def, io)
      if (replacement !== undefined) return withDescription(def, replacement)
      if (seen === undefined || forced === true) return ignoreOverride
      // only a recursive schema becomes a reference; a schema that is used twice is repeated
      return seen.jsonSchema === undefined ? { $ref: toPointer(seen.path) } : parseDef(def, refs, true)
    },
  })
}

const REPLACEMENTS: Record<string, JsonSchema | undefined> = {
  ZodUndefined: { not: {} },
  ZodVoid: { not: {} },
  ZodBigInt: opaqueSchema('A bigint'),
  ZodSymbol: opaqueSchema('A symbol'),
  ZodNaN: opaqueSchema('NaN'),
  ZodMap: opaqueSchema('A Map'),
  ZodSet: opaqueSchema('A Set'),
  ZodFunction: opaqueSchema('A function'),
}

function replacementFor(def: Zod3Def, io: 'input' | 'output'): JsonSchema | undefined {
  if (def.typeName !== 'ZodEffects') return REPLACEMENTS[def.typeName]
  if (def.effect?.type === 'transform') {
    return io === 'output' ? opaqueSchema('The result of a transform') : undefined
  }
  const inner = def.schema?._def.typeName
  // the definition of z.custom() and z.instanceof()
  return inner === 'ZodAny' || inner === 'ZodUnknown'
    ? opaqueSchema('Validated by a custom function')
    : undefined
}

function withDescription(def: Zod3Def, schema: JsonSchema): JsonSchema {
  return def.description === undefined ? schema : { ...schema, description: def.description }
}

function toPointer(path: readonly string[]): string {
  return path.map((token) => token.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')
}
