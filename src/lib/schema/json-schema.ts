/** A JSON Schema of draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** What stands where a schema has no JSON Schema form; it accepts anything, and says so. */
export function opaqueSchema(what: string): JsonSchema {
  return { description: `${what}; its shape cannot be shown as JSON Schema.` }
}

/** Whether `value` is a keyword table, not a boolean schema, a list or a scalar. */
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

/** Whether `value` is a plain object that is empty or has at least one keyword of JSON Schema, and no functions. */
export function looksLikeJsonSchema(value: unknown): value is JsonSchema {
  if (!isSchemaObject(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return false
  const keys = Object.keys(value)
  if (keys.length > 0 && !keys.some((key) => KEYWORDS.has(key))) return false
  return Object.values(value).every((member) => typeof member !== 'function')
}
