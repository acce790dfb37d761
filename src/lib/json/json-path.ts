/** The way from a value to one of its parts: property names and array indexes. */
export type JsonPath = readonly (string | number)[]

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/
const LONGEST_KEY = 80
const LONGEST_PATH = 20

/** A path as a reader would write it in code: `input.items[0].qty`, `input["first name"]`. Long ones are cut. */
export function formatPath(root: string, path: JsonPath): string {
  const shown = path.slice(0, LONGEST_PATH).reduce<string>(formatStep, root)
  return path.length > LONGEST_PATH ? `${shown}…` : shown
}

function formatStep(before: string, key: string | number): string {
  if (typeof key === 'number') return `${before}[${key}]`
  const name = shorten(key, LONGEST_KEY)
  if (!IDENTIFIER.test(key)) return `${before}[${JSON.stringify(name)}]`
  return before === '' ? name : `${before}.${name}`
}

/** `text` itself, or its first `length` characters and an ellipsis. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`
}
