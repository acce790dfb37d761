import { startOfTail } from './pattern.ts'
import type { Pattern } from './pattern.ts'

/** Digits in groups with at most two separators between them: spaces, dashes, dots, slashes, line breaks. */
const RUN = /\d(?:[\s.\-–/]{0,2}\d){12,}/g
const TAIL = /\d(?:[\s.\-–/]{0,2}\d)*[\s.\-–/]{0,2}(?![^])/g
/** The first six digits are the bank's. */
const BEGINNING = /[2-6](?:[\s.\-–/]{0,2}\d){6,}[\s.\-–/]{0,2}(?![^])/
const MIN_DIGITS = 13
const MAX_DIGITS = 19

/** Numbers of payment cards: 13 to 19 digits with a valid check digit (Luhn), in any grouping. */
export const CARD: Pattern = {
  redact: (text) => text.replaceAll(RUN, redactRun),
  unfinished: (text, from) => startOfTail(TAIL, text, from),
  redactEnd: (text) => text.replace(BEGINNING, '[card]'),
}

interface Group {
  readonly digits: string
  readonly start: number
  readonly end: number
}

/** Redacts the card numbers in a run of digits, which begin and end with one of its groups. */
function redactRun(run: string): string {
  const groups = [...run.matchAll(/\d+/g)].map(({ 0: digits, index }): Group => ({
    digits,
    start: index,
    end: index + digits.length,
  }))
  let redacted = ''
  let rest = 0
  for (let first = 0; first < groups.length; first++) {
    const last = lastOfCard(groups, first)
    if (last === undefined) continue
    redacted += `${run.slice(rest, groups[first]?.start)}[card]`
    rest = groups[last]?.end ?? rest
    first = last
  }
  return redacted + run.slice(rest)
}

/** The last group of the longest card number that begins with the group `first`. */
function lastOfCard(groups: readonly Group[], first: number): number | undefined {
  let digits = ''
  let found: number | undefined
  for (let last = first; last < groups.length && digits.length < MAX_DIGITS; last++) {
    digits += groups[last]?.digits ?? ''
    if (digits.length >= MIN_DIGITS && digits.length <= MAX_DIGITS && isCard(digits)) found = last
  }
  return found
}

function isCard(digits: string): boolean {
  if (digits.startsWith('0')) return false
  const sum = digits
    .split('')
    .toReversed()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
  return sum % 10 === 0
}
