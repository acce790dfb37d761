import { Fraction } from './fraction.ts'

type Operation = (left: Fraction, right: Fraction) => Fraction

const SUM: Readonly<Record<string, Operation>> = {
  '+': (left, right) => left.plus(right),
  '-': (left, right) => left.minus(right),
}

const PRODUCT: Readonly<Record<string, Operation>> = {
  '*': (left, right) => left.times(right),
  '/': (left, right) => left.dividedBy(right),
}

const TOKEN = /\s*(\d+(?:\.\d+)?|[-+*/^()])/y

/**
 * The exact value of an expression: decimal numbers, `+ - * / ^`, signs and parentheses, with the usual
 * precedence.
 *
 * @throws SyntaxError for an invalid expression; RangeError when the value is too large or not exact.
 */
export function evaluate(expression: string): Fraction {
  const parser = new Parser(tokensOf(expression))
  const value = parser.sum()
  parser.end()
  return value
}

function tokensOf(expression: string): string[] {
  const text = expression.trimEnd()
  const tokens: string[] = []
  const token = new RegExp(TOKEN)
  while (token.lastIndex < text.length) {
    const start = token.lastIndex
    const [, found] = token.exec(text) ?? []
    if (found === undefined) throw new SyntaxError(`Invalid syntax: "${text.slice(start).trim()}"`)
    tokens.push(found)
  }
  return tokens
}

class Parser {
  readonly #tokens: readonly string[]
  #position = 0

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  sum(): Fraction {
    return this.#chain(SUM, () => this.#product())
  }

  end(): void {
    if (this.#next !== undefined) throw new SyntaxError(`Unexpected "${this.#next}"`)
  }

  get #next(): string | undefined {
    return this.#tokens[this.#position]
  }

  #product(): Fraction {
    return this.#chain(PRODUCT, () => this.#signed())
  }

  #chain(operations: Readonly<Record<string, Operation>>, operand: () => Fraction): Fraction {
    let value = operand()
    for (let apply = operations[this.#next ?? '']; apply; apply = operations[this.#next ?? '']) {
      this.#position++
      value = apply(value, operand())
    }
    return value
  }

  #signed(): Fraction {
    if (this.#take('-')) return this.#signed().negated()
    if (this.#take('+')) return this.#signed()
    return this.#power()
  }

  /** Precedes a unary sign and is right-associative: -2^2 is -4, 2^3^2 is 512. */
  #power(): Fraction {
    const base = this.#operand()
    return this.#take('^') ? base.power(this.#signed()) : base
  }

  #operand(): Fraction {
    if (this.#take('(')) {
      const value = this.sum()
      if (!this.#take(')')) throw new SyntaxError('Missing ")"')
      return value
    }
    const token = this.#next
    if (token === undefined) throw new SyntaxError('Unexpected end of the expression')
    if (!/^\d/.test(token)) throw new SyntaxError(`Unexpected "${token}"`)
    this.#position++
    return Fraction.parse(token)
  }

  #take(token: string): boolean {
    if (this.#next !== token) return false
    this.#position++
    return true
  }
}
