import type { JsonSchema } from '../schema/json-schema.ts'
import { lazy } from './lazy.ts'
import { TimeLimitError, withTimeLimit } from './time-limit.ts'
import type { Validation } from '../schema/validation.ts'

type Check = (value: unknown) => Validation | Promise<Validation>

const LIMIT_MS = 1000
const MAY_TAKE_FOREVER =
  /"(?:\$dynamicRef|\$ref|pattern|patternProperties|uniqueItems)":|cannot be shown as JSON Schema/

/**
 * The same check, given up with an issue after a second where `shape` has, or may hide, a pattern or another keyword whose
 * cost can explode: one hostile value could keep it busy for ever, and the whole server with it.
 */
export function boundedCheck(check: Check, shape: () => JsonSchema): Check {
  const isRisky = lazy(() => MAY_TAKE_FOREVER.test(JSON.stringify(shape())))
  return (value) => (isRisky() ? checkInTime(check, value) : check(value))
}

function checkInTime(check: Check, value: unknown): Validation | Promise<Validation> {
  try {
    return withTimeLimit(LIMIT_MS, () => check(value))
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error
    return { ok: false, issues: [{ path: [], message: `Checking it took longer than ${LIMIT_MS} ms` }] }
  }
}
