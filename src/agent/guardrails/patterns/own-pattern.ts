import { isExponential } from './exponential-pattern.ts'
import { termsOf } from './expression-terms.ts'
import type { Term } from './expression-terms.ts'
import { startOfTail } from './pattern.ts'
import type { Pattern } from './pattern.ts'

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

/** The end of a text, whatever the flags. */
const END = '(?![^])'

const MAX_SOURCE_LENGTH = 50_000

/**
 * The source of a regular expression that matches the end of a text that may be the beginning of a match of
 * `expression`, or a match that may become longer. In doubt it matches: after a back-reference or in an expression that
 * becomes too long, everything may.
 */
function unfinishedPattern(expression: RegExp): string {
  const unfinished = termsOf(expression).map((terms) => beginning(terms))
  const pattern = `(?:${unfinished.join('|')})`
  return pattern.length > MAX_SOURCE_LENGTH ? '[^][^]*' : pattern
}

function beginning(terms: readonly Term[]): string {
  return terms.reduceRight((rest, term) => `(?:${beginsWith(term, rest)})`, END)
}

function beginsWith({ source, quantifier, group, isAssertion }: Term, rest: string): string {
  // what follows may not have arrived
  if (isAssertion) return `${source}${rest}|${END}`
  const whole = `${source}${quantifier}${rest}`
  const part = group ? `(?:${group.map((terms) => beginning(terms)).join('|')})` : END
  const before = quantifier === '' ? '' : `${source}${repeated(quantifier)}`
  return `${whole}|${before}${part}`
}

/** Any number of repetitions that the quantifier allows, from none. */
function repeated(quantifier: string): string {
  const most = /^\{\d+\}/.exec(quantifier)?.[0].slice(1, -1) ?? /^\{\d+,(\d+)\}/.exec(quantifier)?.[1]
  if (most !== undefined) return `{0,${most}}`
  return quantifier.startsWith('?') ? '?' : '*'
}
