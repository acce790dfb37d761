import { messageOf } from '../errors.ts'
import { toDraft2020 } from './draft-2020.ts'
import { shorten } from '../json/json-path.ts'
import { isSchemaObject, type JsonSchema, opaqueSchema } from './json-schema.ts'
import type { StandardSchema } from './standard-schema.ts'
import { isZod3Schema, zod3ToJsonSchema } from './zod3-json-schema.ts'
import { isZod4Schema, zod4ToJsonSchema } from './zod4-json-schema.ts'

/**
 * The JSON Schema of what a Standard Schema takes or yields. A library that has no such form, or fails to make
 * it, gives a schema that accepts anything and whose description says why.
 */
export function shapeOf(schema: StandardSchema, io: 'input' | 'output'): JsonSchema {
  const { vendor } = schema['~standard']
  try {
    const shape = convert(schema, io)
    if (shape === undefined) return opaqueSchema(`Checked by ${vendor}`)
    const detached: JsonSchema = JSON.parse(JSON.stringify(toDraft2020(shape)))
    return detached
  } catch (error) {
    const reason = shorten(messageOf(error).split('\n', 1)[0] ?? '', 200)
    return opaqueSchema(`Checked by ${vendor} (${reason})`)
  }
}

function convert(schema: StandardSchema, io: 'input' | 'output'): JsonSchema | undefined {
  const { vendor } = schema['~standard']
  if (vendor === 'zod' && isZod4Schema(schema)) return zod4ToJsonSchema(schema, io)
  if (vendor === 'zod' && isZod3Schema(schema)) return zod3ToJsonSchema(schema, io)
  const { jsonSchema } = schema['~standard']
  const shape: unknown =
    typeof jsonSchema?.[io] === 'function'
      ? jsonSchema[io]({ target: 'draft-2020-12', ...(vendor === 'arktype' && ARKTYPE_OPTIONS) })
      : arkTypeSide(schema, io)?.toJsonSchema?.()
  return isSchemaObject(shape) && saysSomething(shape) ? shape : undefined
}

/** An empty schema is also what libraries give for a type they can't convert. */
function saysSomething(shape: JsonSchema): boolean {
  return Object.keys(shape).some((keyword) => keyword !== '$schema')
}

interface ArkType {
  readonly in?: ArkType
  readonly out?: ArkType
  readonly toJsonSchema?: () => unknown
}

/** Releases of ArkType before Standard JSON Schema have a method of their own, on either side of a morph. */
function arkTypeSide(schema: StandardSchema & ArkType, io: 'input' | 'output'): ArkType | undefined {
  if (schema['~standard'].vendor !== 'arktype') return undefined
  return io === 'input' ? schema.in : schema.out
}

interface ArkTypeGap {
  readonly base: JsonSchema
  readonly domain?: string
  readonly proto?: { readonly name: string }
}

/** ArkType leaves out what JSON Schema can't say; these name it instead. */
const ARKTYPE_OPTIONS = {
  libraryOptions: {
    fallback: {
      date: ({ base }: ArkTypeGap) => ({ ...base, type: 'string', format: 'date-time' }),
      domain: ({ base, domain }: ArkTypeGap) => ({ ...opaqueSchema(`A ${domain ?? 'value'}`), ...base }),
      proto: ({ base, proto }: ArkTypeGap) => ({
        ...opaqueSchema(`A ${proto?.name ?? 'class instance'}`),
        ...base,
      }),
      predicate: ({ base }: ArkTypeGap) => ({ ...opaqueSchema('Checked by a custom function'), ...base }),
    },
  },
}
