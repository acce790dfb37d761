/** Larger numbers are rejected, because they would block the process. */
const MAX_BITS = 4096
const MAX_DECIMALS = 100

/** An exact number: an integer over a positive integer, in lowest terms. */
export class Fraction {
  readonly #over: bigint
  readonly #under: bigint

  constructor(over: bigint, under = 1n) {
    if (under === 0n) throw new RangeError('Division by zero')
    const sign = under < 0n ? -1n : 1n
    const divisor = greatestDivisor(over, under) * sign
    this.#over = over / divisor
    this.#under = under / divisor
    if (bitsOf(this.#over) > MAX_BITS || bitsOf(this.#under) > MAX_BITS)
      throw new RangeError('The number is too large')
  }

  /** Parses a decimal number such as `12` or `0.5`. */
  static parse(text: string): Fraction {
    const [whole = '', decimals = ''] = text.split('.')
    return new Fraction(BigInt(whole + decimals), 10n ** BigInt(decimals.length))
  }

  plus(other: Fraction): Fraction {
    return new Fraction(this.#over * other.#under + other.#over * this.#under, this.#under * other.#under)
  }

  minus(other: Fraction): Fraction {
    return this.plus(other.negated())
  }

  times(other: Fraction): Fraction {
    return new Fraction(this.#over * other.#over, this.#under * other.#under)
  }

  dividedBy(other: Fraction): Fraction {
    return new Fraction(this.#over * other.#under, this.#under * other.#over)
  }

  negated(): Fraction {
    return new Fraction(-this.#over, this.#under)
  }

  /** Only integer exponents have exact results. */
  power(exponent: Fraction): Fraction {
    if (exponent.#under !== 1n) throw new RangeError('The exponent must be a whole number')
    const times = exponent.#over < 0n ? -exponent.#over : exponent.#over
    if (times * BigInt(bitsOf(this.#over) + bitsOf(this.#under)) > MAX_BITS)
      throw new RangeError('The number is too large')
    const [over, under] = [this.#over ** times, this.#under ** times]
    return exponent.#over < 0n ? new Fraction(under, over) : new Fraction(over, under)
  }

  /** A decimal number if that is exact, otherwise a fraction such as `1/3`. */
  toString(): string {
    for (let decimals = 0, scale = 1n; decimals <= MAX_DECIMALS; decimals++, scale *= 10n)
      if (scale % this.#under === 0n) return decimalText((this.#over * scale) / this.#under, decimals)
    return `${this.#over}/${this.#under}`
  }
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  let [large, small] = [a < 0n ? -a : a, b < 0n ? -b : b]
  while (small > 0n) [large, small] = [small, large % small]
  return large
}

function bitsOf(value: bigint): number {
  return value.toString(16).length * 4
}

function decimalText(scaled: bigint, decimals: number): string {
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const text = decimals === 0 ? whole : `${whole}.${digits.slice(-decimals)}`
  return scaled < 0n ? `-${text}` : text
}
