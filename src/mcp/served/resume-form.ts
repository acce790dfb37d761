import { wrapSchema } from '../../agent/answer/wrapped-schema.ts'
import type { JsonSchema } from '../../lib/schema/schema.ts'

/** A form for resume data: the schema of its fields, and the function that reads the data from it. */
export interface ResumeForm {
  readonly schema: JsonSchema
  readonly unwrap: (content: unknown) => unknown
}

/** The keywords that a field of a form may have (MCP, `PrimitiveSchemaDefinition`). */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'format', 'enum'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  boolean: [],
}
const COMMON_KEYWORDS = ['type', 'title', 'description', 'default']
const FORMATS: ReadonlySet<unknown> = new Set(['email', 'uri', 'date', 'date-time'])

/**
 * The form for data of a schema; `undefined` when required data fits no form, which is a flat object of texts, numbers
 * and booleans. Constraints that a form can't express are left out: the engine validates the data by the whole schema.
 */
export function resumeForm(schema: JsonSchema): ResumeForm | undefined {
  const { schema: object, unwrap } = wrapSchema(schema)
  const { properties = {}, required = [] } = object as {
    readonly properties?: Readonly<Record<string, unknown>>
    readonly required?: readonly string[]
  }
  const fields = new Map<string, JsonSchema>()
  for (const [name, property] of Object.entries(properties)) {
    const field = fieldOf(property)
    if (field) fields.set(name, field)
  }
  if (required.some((name) => !fields.has(name))) return undefined
  return { schema: { type: 'object', properties: Object.fromEntries(fields), required }, unwrap }
}

function fieldOf(property: unknown): JsonSchema | undefined {
  const { type, format, ...rest } = property as JsonSchema
  const keywords = typeof type === 'string' ? KEYWORDS[type] : undefined
  if (!keywords) return undefined
  const described = { type, ...rest, ...(FORMATS.has(format) && { format }) }
  const kept = Object.entries(described).filter(([key]) => [...COMMON_KEYWORDS, ...keywords].includes(key))
  return Object.fromEntries(kept)
}
