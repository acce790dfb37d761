import { z } from 'zod'

export type Json = Readonly<Record<string, unknown>>

/** Collects what the operations refer to: named schemas and responses. */
export class Components {
  readonly schemas: Record<string, Json> = {}
  readonly responses: Record<string, Json> = {}

  /** A reference to a response, which is described on first use. */
  response(name: string, describe: () => Json): Json {
    this.responses[name] ??= describe()
    return { $ref: `#/components/responses/${name}` }
  }

  /** Converts a schema to JSON Schema, with references to the named schemas. */
  convert(schema: z.ZodType, io: 'input' | 'output'): Json {
    const {
      $schema: _,
      $defs = {},
      ...converted
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => withoutDefaults(jsonSchema, io),
    })
    for (const [name, definition] of Object.entries($defs)) {
      const { id: _id, ...rest } = definition as Record<string, unknown>
      this.schemas[name] ??= rewriteReferences(rest)
    }
    const { id, ...rest } = converted as Record<string, unknown>
    if (typeof id !== 'string') return rewriteReferences(rest)
    this.schemas[id] ??= rewriteReferences(rest)
    return { $ref: `#/components/schemas/${id}` }
  }
}

/** Rewrites references to `$defs` as references to the document's components. */
function rewriteReferences(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json
}

/** Removes what goes without saying: the bounds of JavaScript's safe integers, and that names are strings. */
function withoutDefaults(schema: z.core.JSONSchema.BaseSchema, io: 'input' | 'output'): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames
  // the forms of the console are made from the types in inputs
  if (io === 'input') return
  if (JSON.stringify(schema.additionalProperties) === '{}') delete schema.additionalProperties
  if (schema.const !== undefined || schema.enum !== undefined) delete schema.type
}
