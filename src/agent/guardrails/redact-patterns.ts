import {
  type Guardrail,
  REDACT_END,
  UNFINISHED,
  type WithRedactEnd,
  type WithUnfinished,
} from './guardrail.ts'
import { CARD } from './patterns/card.ts'
import { EMAIL } from './patterns/email.ts'
import { ownPattern } from './patterns/own-pattern.ts'
import type { Pattern } from './patterns/pattern.ts'
import { PHONE } from './patterns/phone.ts'

/** The names of the patterns that come with the product. */
export type PatternName = 'card' | 'email' | 'phone'

const PATTERNS: Readonly<Record<PatternName, Pattern>> = { card: CARD, email: EMAIL, phone: PHONE }

/**
 * A guardrail that replaces what matches in texts, and in the strings and numbers of objects: by `[card]`, `[email]` or
 * `[phone]`, and what a regular expression of your own matches by `[redacted]`. Card numbers must have a valid check
 * digit. Streams hold back what may become a match.
 *
 * @throws TypeError for an unknown pattern, or without one.
 *
 * @example
 * const guardrails = { input: [redactPatterns(['card'])], output: [redactPatterns(['email', 'phone', /ACME-\d+/])] }
 */
export function redactPatterns(patterns: readonly (PatternName | RegExp)[]): Guardrail {
  if (!Array.isArray(patterns) || patterns.length === 0)
    throw new TypeError('redactPatterns() requires a list of one or more patterns')
  const used = patterns.map((pattern) => toPattern(pattern))
  const redact = (text: string) => used.reduce((rest, pattern) => pattern.redact(rest), text)
  const guardrail: Guardrail = ({ text, object }) => {
    const value: unknown = text ?? object
    const redacted = redactValue(value, redact)
    return redacted === value ? undefined : { replace: redacted as string }
  }
  const streaming: WithUnfinished & WithRedactEnd = {
    [REDACT_END]: (text) => used.reduce((rest, pattern) => pattern.redactEnd(rest), text),
    [UNFINISHED]: (text, from) =>
      Math.min(...used.map((pattern) => pattern.unfinished(text, from)), text.length),
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
