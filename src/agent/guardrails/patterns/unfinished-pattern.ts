import { type Term, termsOf } from './expression-terms.ts'

/** The end of a text, whatever the flags. */
const END = '(?![^])'
const MAX_SOURCE_LENGTH = 50_000

/**
 * The source of a regular expression that matches the end of a text that may be the beginning of a match of
 * `expression`, or a match that may become longer. In doubt it matches: after a back-reference or in an expression that
 * becomes too long, everything may.
 */
export function unfinishedPattern(expression: RegExp): string {
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
