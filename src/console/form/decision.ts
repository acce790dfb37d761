import { propertiesOf, requiredOf, resolveSchema } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'

/** The boolean that a request is about: its only required property. Undefined for other requests. */
export function decisionOf(schema: JsonSchema): string | undefined {
  const own = resolveSchema(schema, schema)
  const [name, ...others] = requiredOf(own)
  const property = name === undefined ? undefined : propertiesOf(own)[name]
  if (name === undefined || property === undefined || others.length > 0) return undefined
  const { type, default: preset, enum: choices } = resolveSchema(property, schema)
  return type === 'boolean' && preset === undefined && choices === undefined ? name : undefined
}

/** The schema of what may be added to a decision. Undefined if nothing may. */
export function withoutDecision(schema: JsonSchema, name: string): JsonSchema | undefined {
  const own = resolveSchema(schema, schema)
  const { [name]: _, ...rest } = propertiesOf(own)
  return Object.keys(rest).length === 0 ? undefined : { ...own, properties: rest, required: [] }
}
