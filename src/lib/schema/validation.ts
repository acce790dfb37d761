import { formatPath, shorten } from '../json/json-value.ts'
import type { JsonPath } from '../json/json-value.ts'

/** The result of validating a value: the output of the schema (defaults and transforms applied), or issues. */
export type Validation<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/** A validation error and the path of the value it concerns. */
export interface Issue {
  readonly path: JsonPath
  readonly message: string
}

/** The message of an issue about a missing value, the same for all schema libraries. */
export const REQUIRED = 'Required'

const MAX_ISSUES = 20
const MAX_MESSAGE_LENGTH = 300

/**
 * All issues in one line, each after its path from `root`:
 * `input.orderId: Required; input.items[0].qty: Expected number, received string`.
 * Contains at most 20 issues; long messages are truncated.
 */
export function formatIssues(issues: readonly Issue[], root: string): string {
  const shown = issues.slice(0, MAX_ISSUES).map(({ path, message }) => {
    const place = formatPath(root, path)
    return `${place}${place === '' ? '' : ': '}${shorten(message, MAX_MESSAGE_LENGTH)}`
  })
  const more = issues.length - shown.length
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

/** Whether there is no value at `path`. Below a `Map` or `Set` this is not known, and the result is `false`. */
export function isAbsent(value: unknown, path: JsonPath): boolean {
  let current = value
  for (const key of path) {
    if (current === undefined) return true
    if (!isContainer(current)) return false
    current = Object.hasOwn(current, key) ? Reflect.get(current, key) : undefined
  }
  return current === undefined
}

function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return !(value instanceof Map) && !(value instanceof Set)
}
