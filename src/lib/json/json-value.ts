/** A value that JSON can represent. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }

/** Maximum nesting of arrays and objects, both in JSON that is parsed and in JSON that is written. */
export const MAX_JSON_DEPTH = 100

/** The path from a value to a value inside it: property names and array indexes. */
export type JsonPath = readonly (string | number)[]

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/
const MAX_KEY_LENGTH = 80
const MAX_PATH_LENGTH = 20

/** A path in JavaScript notation: `input.items[0].qty`, `input["first name"]`. Long paths are truncated. */
export function formatPath(root: string, path: JsonPath): string {
  const shown = path.slice(0, MAX_PATH_LENGTH).reduce<string>(formatKey, root)
  return path.length > MAX_PATH_LENGTH ? `${shown}…` : shown
}

function formatKey(before: string, key: string | number): string {
  if (typeof key === 'number') return `${before}[${key}]`
  const name = shorten(key, MAX_KEY_LENGTH)
  if (!IDENTIFIER.test(key)) return `${before}[${JSON.stringify(name)}]`
  return before === '' ? name : `${before}.${name}`
}

/** The text, truncated to `length` characters and an ellipsis if it is longer. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`
}
