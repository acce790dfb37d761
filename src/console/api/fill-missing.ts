/**
 * What a screen reads of an answer without a check: `0` a number, `''` a text, `null` a value that may be null, an array
 * (with the shape of its items), or an object. A field `name?` may be absent; `?` is the shape of a value or null.
 */
export type Shape = number | string | null | readonly Shape[] | { readonly [field: string]: Shape }

/** Adds what an older server does not send yet: lists and texts are empty, counts are 0. */
export function fillMissing(value: unknown, shape: Shape | undefined): unknown {
  if (shape === undefined) return value
  if (isObjectShape(shape) && '?' in shape) return value == null ? null : fillMissing(value, shape['?'])
  if (Array.isArray(shape)) return fillItems(value, shape[0] as Shape | undefined)
  if (!isObjectShape(shape)) return value === undefined ? shape : value
  const filled = value === undefined ? {} : value
  if (typeof filled !== 'object' || filled === null) return value
  const fields = filled as Record<string, unknown>
  for (const [key, inner] of Object.entries(shape)) {
    const name = key.replace('?', '')
    const next = name === key || fields[name] !== undefined ? fillMissing(fields[name], inner) : undefined
    if (next !== fields[name]) fields[name] = next
  }
  return fields
}

function fillItems(value: unknown, item: Shape | undefined): unknown {
  if (value === undefined) return []
  if (Array.isArray(value) && item !== undefined)
    for (const [index, one] of value.entries()) value[index] = fillMissing(one, item)
  return value
}

function isObjectShape(shape: Shape): shape is { readonly [field: string]: Shape } {
  return typeof shape === 'object' && shape !== null && !Array.isArray(shape)
}
