import { formatPath, type JsonPath, shorten } from '../json/json-path.ts'

/** One thing wrong with a value: where, and what. */
export interface Issue {
  readonly path: JsonPath
  readonly message: string
}

/** What an issue says, whatever the library, when there is nothing at its path. */
export const REQUIRED = 'Required'

const MOST_ISSUES = 20
const LONGEST_MESSAGE = 300

/**
 * One line for all issues, each led by its path from `root`:
 * `input.orderId: Required; input.items[0].qty: Expected number, received string`.
 * Long messages are cut, and of many issues the first 20 are told.
 */
export function formatIssues(issues: readonly Issue[], root: string): string {
  const told = issues.slice(0, MOST_ISSUES).map(({ path, message }) => {
    const place = formatPath(root, path)
    return `${place}${place === '' ? '' : ': '}${shorten(message, LONGEST_MESSAGE)}`
  })
  const untold = issues.length - told.length
  return [...told, ...(untold > 0 ? [`and ${untold} more`] : [])].join('; ')
}

/** Whether nothing is at `path` in `value`. Inside anything but plain objects and arrays: no, nobody can tell. */
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
