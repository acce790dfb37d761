/** The characters to try for a character class, in order of preference. */
const CANDIDATES = [
  ...Array.from('aA0 -_.'),
  ...Array.from({ length: 95 }, (_, index) => String.fromCodePoint(32 + index)),
  'é',
  '\n',
]
const MAX_REPEATS = 200
/** The maximum length of a generated text: repetitions multiply, and long texts overflow the stack of expressions. */
export const MAX_SAMPLE_LENGTH = 10_000

/** Compiles a schema's `pattern` like validators do: with the flag `u`, otherwise without. */
export function toRegExp(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags)
    } catch {
      // try without the flag; invalid patterns have no expression
    }
  }
  return undefined
}

/**
 * A text that matches a regular expression, with at least `minLength` characters if possible. Supports characters,
 * classes, groups, alternatives and repetitions; `undefined` for other expressions.
 */
export function samplePattern(pattern: string, minLength = 0): string | undefined {
  const expression = toRegExp(pattern)
  if (expression === undefined) return undefined
  for (let extra = 0; extra <= Math.min(minLength, MAX_REPEATS); extra++) {
    const sample = new PatternSampler(pattern, extra).alternatives()
    if (sample !== undefined && sample.length >= minLength && expression.test(sample)) return sample
  }
  return undefined
}

/** Generates the shortest text that matches a pattern, plus `extra` repetitions for each quantifier. */
class PatternSampler {
  readonly #pattern: string
  readonly #extra: number
  #at = 0

  constructor(pattern: string, extra: number) {
    this.#pattern = pattern
    this.#extra = extra
  }

  /** Samples the first supported alternative, and reads to the end of the group. */
  alternatives(): string | undefined {
    let chosen = this.#sequence()
    while (this.#pattern[this.#at] === '|') {
      this.#at++
      const other = this.#sequence()
      chosen ??= other
    }
    return chosen
  }

  #sequence(): string | undefined {
    let text: string | undefined = ''
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#pattern[this.#at] ?? '')) {
      const atom = this.#atom()
      const times = this.#quantifier()
      text = text === undefined || (atom === undefined && times > 0) ? undefined : appended(text, atom, times)
    }
    return text
  }

  #atom(): string | undefined {
    if (this.#take(/^(?:[\^$]|\\[bB])/)) return ''
    if (this.#pattern[this.#at] === '(') return this.#group()
    const token = this.#take(
      /^(?:\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\.|[^])/u,
    )
    return token === undefined ? undefined : sampleCharacter(token)
  }

  /** Lookarounds add no text; the final test of the sample checks them. */
  #group(): string | undefined {
    const opening = this.#take(/^\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/) ?? ''
    const inside = this.alternatives()
    this.#at++
    return /[=!]$/.test(opening) ? '' : inside
  }

  #quantifier(): number {
    const quantifier = this.#take(/^(?:[*+?]|\{\d+(?:,\d*)?\})\??/)
    if (quantifier === undefined) return 1
    if (quantifier.startsWith('?')) return 0
    if (quantifier.startsWith('*')) return this.#extra
    if (quantifier.startsWith('+')) return 1 + this.#extra
    const [, low = '0', comma, high = ''] = /^\{(\d+)(,?)(\d*)\}/.exec(quantifier) ?? []
    const max = comma === '' ? Number(low) : high === '' ? Infinity : Number(high)
    return Math.min(Number(low) + this.#extra, max, MAX_REPEATS)
  }

  #take(token: RegExp): string | undefined {
    const match = token.exec(this.#pattern.slice(this.#at))?.[0]
    if (match !== undefined) this.#at += match.length
    return match
  }
}

/** `undefined` when the text becomes too long. */
function appended(text: string, atom: string | undefined, times: number): string | undefined {
  const added = atom ?? ''
  return text.length + added.length * times > MAX_SAMPLE_LENGTH ? undefined : text + added.repeat(times)
}

function sampleCharacter(token: string): string | undefined {
  if (token.length === 1 && token !== '.') return token
  const expression = toRegExp(`^(?:${token})$`)
  return CANDIDATES.find((character) => expression?.test(character))
}
