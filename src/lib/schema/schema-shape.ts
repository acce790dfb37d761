import { messageOf } from '../errors.ts'
import { toDraft2020 } from './draft-2020.ts'
import { shorten } from '../json/json-value.ts'
import { isSchemaObject, opaqueSchema } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'
import type { StandardSchema } from './standard-schema.ts'
import { isZod3Schema, zod3ToJsonSchema } from './zod3-json-schema.ts'
import { isZod4Schema, zod4ToJsonSchema } from './zod4-json-schema.ts'

/**
 * The JSON Schema of the input or output of a Standard Schema. If its library can't convert it, the result accepts any
 * value, and its description contains the reason.
 */
export function shapeOf(schema: StandardSchema, io: 'input' | 'output'): JsonSchema {
  const { vendor } = schema['~standard']
  try {
    const shape = convert(schema, io)
    if (shape === undefined) return opaqueSchema(`Validated by ${vendor}`)
    // a copy, since the library may cache the schema; as JSON, since a default may be a Date
    const copy: JsonSchema = JSON.parse(JSON.stringify(toDraft2020(shape)))
    return copy
  } catch (error) {
    const reason = shorten(messageOf(error).split('\n', 1)[0] ?? '', 200)
    return opaqueSchema(`Validated by ${vendor} (${reason})`)
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
  return isSchemaObject(shape) && hasKeywords(shape) ? shape : undefined
}

/** Libraries also return an empty schema for types that they can't convert. */
function hasKeywords(shape: JsonSchema): boolean {
  return Object.keys(shape).some((keyword) => keyword !== '$schema')
}

interface ArkType {
  readonly in?: ArkType
  readonly out?: ArkType
  readonly toJsonSchema?: () => unknown
}

/** The input or output of an ArkType type. Releases before Standard JSON Schema have their own conversion method on it. */
function arkTypeSide(schema: StandardSchema & ArkType, io: 'input' | 'output'): ArkType | undefined {
  if (schema['~standard'].vendor !== 'arktype') return undefined
  return io === 'input' ? schema.in : schema.out
}

interface ArkTypeGap {
  readonly base: JsonSchema
  readonly domain?: string
  readonly proto?: { readonly name: string }
}

/** By default, ArkType omits types that JSON Schema can't represent. These options name them in a description. */
const ARKTYPE_OPTIONS = {
  libraryOptions: {
    fallback: {
      date: ({ base }: ArkTypeGap) => ({ ...base, type: 'string', format: 'date-time' }),
      domain: ({ base, domain }: ArkTypeGap) => ({ ...opaqueSchema(`A ${domain ?? 'value'}`), ...base }),
      proto: ({ base, proto }: ArkTypeGap) => ({
        ...opaqueSchema(`A ${proto?.name ?? 'class instance'}`),
        ...base,
      }),
      predicate: ({ base }: ArkTypeGap) => ({ ...opaqueSchema('Validated by a custom function'), ...base }),
    },
  },
}
