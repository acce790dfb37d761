import { termsOf } from './expression-terms.ts'
import type { Term } from './expression-terms.ts'

/** Up to this many optional repetitions are followed one by one; more count as any number. */
const MAX_COPIES = 12
const MAX_COPIED_POSITIONS = 200
/** Bounds of the search; `redactPatterns` has a time limit for what it does not find. */
const MAX_POSITIONS = 2000
const MAX_STEPS = 200_000

/**
 * Whether a backtracking match of the expression can take exponential time: a repeated part can match the same text in
 * several ways, as in `(a+)+` and `(a|a)*`. Then there is a character of the expression that can be reached from itself
 * by two different ways that read the same text. Back-references are taken for any text.
 */
export function isExponential(expression: RegExp): boolean {
  const automaton = new Automaton(expression)
  if (automaton.isTooLarge) return false
  let steps = 0
  /** Follows two readers of the same text, until both are where they started after different ways. */
  const isAmbiguous = (start: number): boolean => {
    const seen = new Set<string>()
    const waiting: (readonly [number, number, boolean])[] = [[start, start, false]]
    for (let pair = waiting.pop(); pair !== undefined && steps < MAX_STEPS; pair = waiting.pop()) {
      const [one, other, differ] = pair
      for (const [nextOne, ways] of automaton.after(one)) {
        for (const nextOther of automaton.after(other).keys()) {
          steps++
          if (!automaton.readSame(nextOne, nextOther)) continue
          const isSplit = nextOne !== nextOther || (one === other && ways > 1)
          const next = [nextOne, nextOther, differ || isSplit] as const
          if (next[2] && nextOne === start && nextOther === start) return true
          const key = next.join()
          if (seen.has(key)) continue
          seen.add(key)
          waiting.push(next)
        }
      }
    }
    return false
  }
  return [...automaton.repeated].some((position) => isAmbiguous(position))
}

/** Positions, with the number of ways to them: one, or several (2). */
type Ways = ReadonlyMap<number, number>

/** A part of an expression: where its texts begin and end, and in how many ways it matches no text. */
interface Part {
  readonly first: Ways
  readonly last: Ways
  readonly empty: number
}

const NONE: Ways = new Map()
const EMPTY: Part = { first: NONE, last: NONE, empty: 1 }

/** The positions of an expression, which read a character each, and what may follow them (Glushkov's construction). */
class Automaton {
  readonly #characters: Characters
  /** The source of each position. */
  readonly #sources: string[] = []
  readonly #after: Ways[] = []
  /** The positions in repeated parts. */
  readonly repeated = new Set<number>()

  constructor(expression: RegExp) {
    this.#characters = new Characters(expression)
    this.#alternatives(termsOf(expression))
  }

  after(position: number): Ways {
    return this.#after[position] ?? NONE
  }

  get isTooLarge(): boolean {
    return this.#sources.length === MAX_POSITIONS
  }

  /** Whether two positions read a character in common. */
  readSame(one: number, other: number): boolean {
    return one === other || this.#characters.overlap(this.#sources[one] ?? '', this.#sources[other] ?? '')
  }

  #alternatives(all: readonly (readonly Term[])[]): Part {
    const parts = all.map((terms) => this.#sequence(terms.map((term) => () => this.#quantified(term))))
    return {
      first: sum(parts.map(({ first }) => first)),
      last: sum(parts.map(({ last }) => last)),
      empty: Math.min(
        2,
        parts.reduce((ways, { empty }) => ways + empty, 0),
      ),
    }
  }

  #sequence(parts: readonly (() => Part)[]): Part {
    return parts.reduce((before, create) => this.#connect(before, create()), EMPTY)
  }

  #connect(before: Part, next: Part): Part {
    this.#follow(before.last, next.first)
    return {
      first: sum([before.first, times(next.first, before.empty)]),
      last: sum([next.last, times(before.last, next.empty)]),
      empty: Math.min(2, before.empty * next.empty),
    }
  }

  #follow(last: Ways, first: Ways): void {
    for (const [position, ways] of last) {
      this.#after[position] = sum([this.after(position), times(first, ways)])
    }
  }

  #quantified(term: Term): Part {
    const { min, max } = timesOf(term.quantifier)
    if (max === 0) return EMPTY
    const size = this.#sources.length
    const part = this.#single(term)
    if (max === 1) return min === 1 ? part : { ...part, empty: 1 }
    const copied = (this.#sources.length - size) * max
    if (max - min > MAX_COPIES || copied > MAX_COPIED_POSITIONS) {
      this.#follow(part.last, part.first)
      for (let position = size; position < this.#sources.length; position++) this.repeated.add(position)
      return min === 0 ? { ...part, empty: 1 } : part
    }
    // x{2,4} is xx(x(x)?)?
    let optional = EMPTY
    for (let copy = min; copy < max; copy++) {
      optional = { ...this.#connect(this.#single(term), optional), empty: 1 }
    }
    const required = Array.from({ length: min }, () => () => this.#single(term))
    return this.#sequence([...required, () => optional])
  }

  #single({ source, group, isAssertion }: Term): Part {
    if (group) {
      const part = this.#alternatives(group)
      return isAssertion ? EMPTY : part
    }
    if (isAssertion || this.isTooLarge) return EMPTY
    const ways: Ways = new Map([[this.#sources.push(source) - 1, 1]])
    return { first: ways, last: ways, empty: 0 }
  }
}

function sum(all: readonly Ways[]): Ways {
  const total = new Map<number, number>()
  for (const one of all)
    for (const [position, ways] of one) total.set(position, Math.min(2, ways + (total.get(position) ?? 0)))
  return total
}

function times(ways: Ways, factor: number): Ways {
  if (factor === 0) return NONE
  return factor === 1 ? ways : new Map([...ways.keys()].map((position) => [position, 2]))
}

function timesOf(quantifier: string): { readonly min: number; readonly max: number } {
  const [sign] = quantifier
  if (sign === undefined) return { min: 1, max: 1 }
  if (sign === '?') return { min: 0, max: 1 }
  if (sign === '*' || sign === '+') return { min: sign === '*' ? 0 : 1, max: Infinity }
  const [, min, comma, max] = /(\d+)(,?)(\d*)/.exec(quantifier) ?? []
  if (max) return { min: Number(min), max: Number(max) }
  return { min: Number(min), max: comma ? Infinity : Number(min) }
}

const SAMPLES = ['ß', 'é', 'Ω', 'я', 'ا', '中', '\u{1f600}', '\u00a0', '\u2028', '\ud800', '\udc00']
const LATIN = Array.from({ length: 0x180 }, (_, code) => String.fromCodePoint(code))

/** What the single characters of an expression match, tried with a choice of characters. */
class Characters {
  readonly #flags: string
  readonly #candidates: readonly string[]
  readonly #matched = new Map<string, ReadonlySet<string>>()
  readonly #overlaps = new Map<string, boolean>()

  constructor({ source, flags }: RegExp) {
    this.#flags = flags.replaceAll(/[gmy]/g, '')
    const near = Array.from(source, (char) => char.codePointAt(0) ?? 0).flatMap((code) => [code, code + 1])
    this.#candidates = [...new Set([...LATIN, ...SAMPLES, ...near.map((code) => String.fromCodePoint(code))])]
  }

  overlap(one: string, other: string): boolean {
    if (one === other) return true
    const key = `${one}\n${other}`
    const known = this.#overlaps.get(key)
    if (known !== undefined) return known
    const matched = this.#matchedBy(other)
    const found = [...this.#matchedBy(one)].some((char) => matched.has(char))
    this.#overlaps.set(key, found)
    return found
  }

  #matchedBy(source: string): ReadonlySet<string> {
    const known = this.#matched.get(source)
    if (known) return known
    const whole = new RegExp(`^(?:${source})$`, this.#flags)
    const matched = new Set(this.#candidates.filter((char) => whole.test(char)))
    this.#matched.set(source, matched)
    return matched
  }
}
