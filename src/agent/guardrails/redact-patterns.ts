import { TimeLimitError } from '../../lib/async/time-limit.ts'
import { PATTERN_TIME, REDACT_END, UNFINISHED, patternTime } from './guardrail.ts'
import type { GuardedValue, Guardrail, WithPatternTime, WithRedactEnd, WithUnfinished } from './guardrail.ts'
import { CARD } from './patterns/card.ts'
import { EMAIL } from './patterns/email.ts'
import { ownPattern } from './patterns/own-pattern.ts'
import type { Pattern } from './patterns/pattern.ts'
import { PHONE } from './patterns/phone.ts'

/** The names of the patterns that come with the product. */
export type PatternName = 'card' | 'email' | 'phone'

const PATTERNS: Readonly<Record<PatternName, Pattern>> = { card: CARD, email: EMAIL, phone: PHONE }

/** In place of a text whose matches can't be found in time. */
const WHOLE = '[redacted]'
/** Time of a check that is not counted: that of calling it, and many times what a linear search takes. */
const FREE_MS = 0.2
const FREE_MS_PER_CHARACTER = 0.000_25

/**
 * A guardrail that replaces what matches in texts, and in the strings and numbers of objects: by `[card]`, `[email]` or
 * `[phone]`, and what a regular expression of your own matches by `[redacted]`. Card numbers must have a valid check
 * digit. Streams hold back what may become a match.
 *
 * Your expressions have one second for the input of a request, and one for its answer. Texts that are not searched by
 * then are replaced by `[redacted]`.
 *
 * @throws TypeError for an unknown pattern, without one, and for an expression that can take exponential time.
 *
 * @example
 * const guardrails = { input: [redactPatterns(['card'])], output: [redactPatterns(['email', 'phone', /ACME-\d+/])] }
 */
export function redactPatterns(patterns: readonly (PatternName | RegExp)[]): Guardrail {
  if (!Array.isArray(patterns) || patterns.length === 0)
    throw new TypeError('redactPatterns() requires a list of one or more patterns')
  const used = patterns.map((pattern) => toPattern(pattern))
  const hasOwn = patterns.some((pattern) => pattern instanceof RegExp)
  /** What `search` returns; `otherwise` when the request has no time left. */
  const inTime = <T>(search: () => T, length: number, request: WithPatternTime, otherwise: T): T => {
    if (!hasOwn) return search()
    const time = request[PATTERN_TIME] ?? patternTime()
    try {
      return time.run(search, FREE_MS + length * FREE_MS_PER_CHARACTER)
    } catch (error) {
      if (error instanceof TimeLimitError) return otherwise
      throw error
    }
  }
  const redact = (text: string) => used.reduce((rest, pattern) => pattern.redact(rest), text)
  const guardrail: Guardrail = ({ text, object, ...request }: GuardedValue & WithPatternTime) => {
    const value: unknown = text ?? object
    const redacted = inTime<unknown>(() => redactValue(value, redact), text?.length ?? 0, request, WHOLE)
    return redacted === value ? undefined : { replace: redacted as string }
  }
  const streaming: Required<WithUnfinished & WithRedactEnd> = {
    [REDACT_END]: (text, request = {}) =>
      inTime(
        () => used.reduce((rest, pattern) => pattern.redactEnd(rest), text),
        text.length,
        request,
        WHOLE,
      ),
    [UNFINISHED]: (text, from, request = {}) => {
      const find = () => Math.min(...used.map((pattern) => pattern.unfinished(text, from)), text.length)
      return inTime(find, text.length, request, from)
    },
  }
  return Object.assign(guardrail, streaming)
}

function toPattern(pattern: PatternName | RegExp): Pattern {
  if (pattern instanceof RegExp) return ownPattern(pattern)
  if (Object.hasOwn(PATTERNS, pattern)) return PATTERNS[pattern]
  throw new TypeError(
    `redactPatterns(): ${JSON.stringify(pattern)} is unknown; use ${Object.keys(PATTERNS).join(', ')} or a regular expression`,
  )
}

/** The same value when nothing in it is redacted. */
function redactValue(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value === 'number') {
    const redacted = redact(String(value))
    return redacted === String(value) ? value : redacted
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((item) => redactValue(item, redact))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  const entries = Object.entries(value)
  const redacted = entries.map(([key, item]) => [redact(key), redactValue(item, redact)] as const)
  const changed = redacted.some(
    ([key, item], index) => key !== entries[index]?.[0] || item !== entries[index]?.[1],
  )
  return changed ? Object.fromEntries(redacted) : value
}
