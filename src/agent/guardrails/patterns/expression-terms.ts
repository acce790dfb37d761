/** A term of an expression: what it matches, and what its beginnings at the end of a text match. */
export interface Term {
  readonly source: string
  readonly quantifier: string
  /** Of a group or a look-around, its alternatives; `undefined` for a single character. */
  readonly group?: readonly (readonly Term[])[]
  /** Matches no character. */
  readonly isAssertion?: boolean
}

/** Splits a valid regular expression into alternatives of terms. A back-reference becomes any text. */
export function termsOf({ source, flags }: RegExp): Term[][] {
  return new Parser(source, flags.includes('v')).alternatives()
}

/** Any text up to the end. */
const REST = '[^]*'
const QUANTIFIER = /[*+?]\??|\{\d+(?:,\d*)?\}\??/y
const GROUP_HEAD = /\(\?(?:[:=!]|<[=!]|<[^>]+>|[a-z]*(?:-[a-z]+)?:)|\(/y
const ESCAPE = /\\(?:u\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|[pPq]\{[^}]*\}|c[a-z]|k<[^>]*>|\d+|[^])/iy

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
    if (isBehind) return { source, quantifier: '', group, isAssertion: true }
    // what is ahead may not have arrived
    if (isAhead) return { source: '', quantifier: '', group, isAssertion: true }
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
