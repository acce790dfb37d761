import type { JsonSchema } from '../../lib/schema/json-schema.ts'

/** An object schema for a value of any schema, and the functions that convert between the value and such an object. */
export interface WrappedSchema {
  readonly schema: JsonSchema
  /** Whether the object has the value as its member `value`, and is not the value. */
  readonly isWrapped: boolean
  readonly unwrap: (object: unknown) => unknown
  readonly wrap: (value: unknown) => unknown
}

/**
 * Wraps a schema that is not an object's into an object with the member `value`: model providers and MCP accept
 * only objects.
 */
export function wrapSchema(schema: JsonSchema): WrappedSchema {
  if (schema['type'] === 'object')
    return { schema, isWrapped: false, unwrap: (object) => object, wrap: (value) => value }
  const { $defs, ...value } = moveRefs(schema)
  return {
    isWrapped: true,
    schema: {
      type: 'object',
      properties: { value },
      required: ['value'],
      additionalProperties: false,
      ...($defs === undefined ? {} : { $defs }),
    },
    unwrap: (object) =>
      typeof object === 'object' && object !== null && 'value' in object ? object.value : undefined,
    wrap: (value) => ({ value }),
  }
}

/** Rewrites references to the new place of the schema. Definitions stay at the root. */
function moveRefs(schema: JsonSchema): JsonSchema {
  const moved: JsonSchema = JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' && /^#(?!\/\$defs\/)(?:\/|$)/.test(value)
      ? value.replace('#', '#/properties/value')
      : value,
  )
  return moved
}
