/** Single characters to try where a pattern takes any of several. */
const CANDIDATES = [
  ...Array.from('aA0 -_.'),
  ...Array.from({ length: 95 }, (_, index) => String.fromCodePoint(32 + index)),
  'é',
  '\n',
]
const MAX_REPEATS = 200

/** Compiles a schema's `pattern` as validators do: with Unicode rules, else without. */
export function toRegExp(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags)
    } catch {
      // not a pattern under these rules; under neither, there is no expression
    }
  }
  return undefined
}

/**
 * A text that a regular expression matches, at least `minLength` long where the pattern allows; `undefined` for
 * expressions beyond characters, classes, groups, alternatives and repetition.
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

/** Reads a pattern from left to right, writing the shortest text that fits, and `extra` where it may repeat. */
class PatternSampler {
  readonly #pattern: string
  readonly #extra: number
  #at = 0

  constructor(pattern: string, extra: number) {
    this.#pattern = pattern
    this.#extra = extra
  }

  /** The first alternative that can be sampled, up to the end of the group. */
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
      text =
        text === undefined || (atom === undefined && times > 0)
          ? undefined
          : text + (atom ?? '').repeat(times)
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

  /** What looks ahead or behind adds no text; whether it holds is seen in the end. */
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
    const most = comma === '' ? Number(low) : high === '' ? Infinity : Number(high)
    return Math.min(Number(low) + this.#extra, most, MAX_REPEATS)
  }

  #take(what: RegExp): string | undefined {
    const match = what.exec(this.#pattern.slice(this.#at))?.[0]
    if (match !== undefined) this.#at += match.length
    return match
  }
}

function sampleCharacter(token: string): string | undefined {
  if (token.length === 1 && token !== '.') return token
  const expression = toRegExp(`^(?:${token})$`)
  return CANDIDATES.find((character) => expression?.test(character))
}
