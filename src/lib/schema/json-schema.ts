/** A JSON Schema, draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** In the description of every {@link opaqueSchema}. */
export const UNREPRESENTABLE = 'cannot be represented in JSON Schema'

/** A schema that accepts any value, for a type without a JSON Schema. Its description names the type. */
export function opaqueSchema(type: string): JsonSchema {
  return { description: `${type}; ${UNREPRESENTABLE}.` }
}

/** Whether `value` is an object, and so a schema that is not boolean. */
export function isSchemaObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const KEYWORDS = new Set(
  `$anchor $comment $defs $dynamicAnchor $dynamicRef $id $ref $schema additionalItems additionalProperties allOf anyOf
  const contains contentEncoding contentMediaType contentSchema default definitions dependencies dependentRequired
  dependentSchemas deprecated description else enum examples exclusiveMaximum exclusiveMinimum format if items
  maxContains maxItems maxLength maxProperties maximum minContains minItems minLength minProperties minimum multipleOf
  not nullable oneOf pattern patternProperties prefixItems properties propertyNames readOnly required then title type
  unevaluatedItems unevaluatedProperties uniqueItems writeOnly`.split(/\s+/),
)

/** Whether `value` is a plain object without functions that is empty or contains at least one JSON Schema keyword. */
export function looksLikeJsonSchema(value: unknown): value is JsonSchema {
  if (!isSchemaObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false
  const keys = Object.keys(value)
  if (keys.length > 0 && !keys.some((key) => KEYWORDS.has(key))) return false
  return Object.values(value).every((member) => typeof member !== 'function')
}
