import type { CaseRules } from '../../contract/evals/case.ts'
import { formatPointer } from '../../lib/json/json-pointer.ts'
import type { JsonPath } from '../../lib/json/json-value.ts'
import { REDACTED } from '../../lib/redact/redact-text.ts'

interface Run {
  /** What the run was given: values from there don't change. */
  readonly given: unknown
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly endedAt: number
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?$/
/** Clocks of several machines differ. */
const CLOCK_SKEW_MS = 60_000
const MAX_RULES = 100

/**
 * Rules that ignore the values of an output that are different in every run: times, UUIDs, and what was redacted. An
 * output that is one such value as a whole gets none.
 */
export function changingValues(output: unknown, { given, startedAt, endedAt }: Run): CaseRules {
  const known = new Set<unknown>()
  eachValue(given, (value) => known.add(value))
  const changes = (value: unknown): boolean => {
    if (typeof value === 'number')
      return value >= startedAt - CLOCK_SKEW_MS && value <= endedAt + CLOCK_SKEW_MS && !known.has(value)
    if (typeof value !== 'string') return false
    return value.includes(REDACTED) || ((isUuid(value) || isInstant(value)) && !known.has(value))
  }
  const pointers = new Set<string>()
  eachValue(output, (value, path) => {
    if (path.length > 0 && pointers.size < MAX_RULES && changes(value)) pointers.add(patternOf(path))
  })
  return Object.fromEntries([...pointers].map((pointer) => [pointer, { ignore: true as const }]))
}

export function isUuid(value: unknown): boolean {
  return typeof value === 'string' && UUID.test(value)
}

/** Whether a value is a time in ISO 8601. */
export function isInstant(value: unknown): boolean {
  return typeof value === 'string' && INSTANT.test(value)
}

/** The member of one item of an array is that of every item. */
function patternOf(path: JsonPath): string {
  return formatPointer(
    path.map((key, index) => (typeof key === 'number' && index < path.length - 1 ? '*' : key)),
  )
}

/** Calls `visit` for the values that are no arrays and no objects. */
function eachValue(
  value: unknown,
  visit: (value: unknown, path: JsonPath) => void,
  path: JsonPath = [],
): void {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) eachValue(item, visit, [...path, index])
  else if (typeof value === 'object' && value !== null)
    for (const [key, member] of Object.entries(value)) eachValue(member, visit, [...path, key])
  else visit(value, path)
}
