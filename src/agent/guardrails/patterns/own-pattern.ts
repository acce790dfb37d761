import { isExponential } from './exponential-pattern.ts'
import { type Pattern, startOfTail } from './pattern.ts'
import { unfinishedPattern } from './unfinished-pattern.ts'

/** Shorter ends may be anything. */
const MIN_BEGINNING = 4

/**
 * A pattern of a regular expression.
 *
 * @throws TypeError when matching it can take exponential time.
 */
export function ownPattern(expression: RegExp): Pattern {
  if (isExponential(expression))
    throw new TypeError(
      `redactPatterns(): ${String(expression)} can take exponential time, since a repeated part matches the same text in several ways, as in (a+)+ or (a|a)*. Repeat only parts that match in one way`,
    )
  const flags = expression.flags.replaceAll(/[gy]/g, '')
  const all = new RegExp(expression.source, `${flags}g`)
  const tail = new RegExp(unfinishedPattern(expression), `${flags}g`)
  return {
    redact: (text) => text.replaceAll(all, (match) => (match === '' ? '' : '[redacted]')),
    unfinished: (text, from) => startOfTail(tail, text, from),
    redactEnd: (text) => {
      const start = startOfTail(tail, text, 0)
      return text.length - start < MIN_BEGINNING ? text : `${text.slice(0, start)}[redacted]`
    },
  }
}
