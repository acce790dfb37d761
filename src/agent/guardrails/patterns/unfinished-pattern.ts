/** The end of a text, whatever the flags. */
const END = '(?![^])'
/** Any text up to the end. */
const REST = '[^]*'
const MAX_SOURCE_LENGTH = 50_000

/**
 * The source of a regular expression that matches the end of a text that may be the beginning of a match of
 * `expression`, or a match that may become longer. In doubt it matches: after a back-reference or in an expression that
 * becomes too long, everything may.
 */
export function unfinishedPattern({ source, flags }: RegExp): string {
  const parser = new Parser(source, flags.includes('v'))
  const unfinished = parser.alternatives().map((terms) => beginning(terms))
  const pattern = `(?:${unfinished.join('|')})`
  return pattern.length > MAX_SOURCE_LENGTH ? `[^]${REST}` : pattern
}

/** A term of an expression: what it matches, and what its beginnings at the end of a text match. */
interface Term {
  readonly source: string
  readonly quantifier: string
  /** Of a group, its alternatives; `undefined` for a single character. */
  readonly group?: readonly (readonly Term[])[]
  /** Matches no character. */
  readonly isAssertion?: boolean
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

const QUANTIFIER = /[*+?]\??|\{\d+(?:,\d*)?\}\??/y
const GROUP_HEAD = /\(\?(?:[:=!]|<[=!]|<[^>]+>|[a-z]*(?:-[a-z]+)?:)|\(/y
const ESCAPE = /\\(?:u\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|[pPq]\{[^}]*\}|c[a-z]|k<[^>]*>|\d+|[^])/iy

/** Splits a valid regular expression into terms. */
class Parser {
  readonly #source: string
  readonly #nestsClasses: boolean
  #at = 0

  constructor(source: string, nestsClasses: boolean) {
    this.#source = source
    this.#nestsClasses = nestsClasses
  }

  alternatives(): Term[][] {
    const all: Term[][] = [[]]
    while (this.#at < this.#source.length && this.#source[this.#at] !== ')') {
      if (this.#source[this.#at] === '|') {
        this.#at++
        all.push([])
      } else all.at(-1)?.push(this.#term())
    }
    return all
  }

  #term(): Term {
    const start = this.#at
    const char = this.#source[start]
    if (char === '(') return this.#group()
    if (char === '[') return this.#quantified(this.#class())
    if (char === '^' || char === '$') {
      this.#at++
      return { source: char, quantifier: '', isAssertion: true }
    }
    if (char !== '\\') {
      this.#at += String.fromCodePoint(this.#source.codePointAt(start) ?? 0).length
      return this.#quantified(this.#source.slice(start, this.#at))
    }
    const escape = this.#take(ESCAPE)
    if (/^\\[bB]$/.test(escape)) return { source: escape, quantifier: '', isAssertion: true }
    // another part of the text, which may be anything
    if (/^\\(?:[1-9]|k<)/.test(escape)) return this.#quantified(REST)
    return this.#quantified(escape)
  }

  #group(): Term {
    const head = this.#take(GROUP_HEAD)
    const group = this.alternatives()
    this.#at++
    const isBehind = /^\(\?<[=!]/.test(head)
    const isAhead = /^\(\?[=!]/.test(head)
    const source = `${isBehind ? head : headOf(head)}${group.map((terms) => sourceOf(terms)).join('|')})`
    const quantifier = this.#take(QUANTIFIER)
    if (isBehind) return { source, quantifier: '', isAssertion: true }
    // what is ahead may not have arrived
    if (isAhead) return { source: '', quantifier: '', isAssertion: true }
    return { source, quantifier, group }
  }

  #class(): string {
    const start = this.#at
    let depth = 0
    do {
      const char = this.#source[this.#at]
      if (char === '\\') this.#at++
      else if (char === '[' && (depth === 0 || this.#nestsClasses)) depth++
      else if (char === ']') depth--
      this.#at++
    } while (depth > 0)
    return this.#source.slice(start, this.#at)
  }

  #quantified(source: string): Term {
    const quantifier = this.#take(QUANTIFIER)
    return { source: source === REST ? `(?:${REST})` : source, quantifier }
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#source)?.[0] ?? ''
    this.#at += found.length
    return found
  }
}

/** The head of a group without its name or number, which the parts of the expression would repeat. */
function headOf(head: string): string {
  return head === '(' || head.startsWith('(?<') ? '(?:' : head
}

function sourceOf(terms: readonly Term[]): string {
  return terms.map(({ source, quantifier }) => source + quantifier).join('')
}
