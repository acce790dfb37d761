import { fromNanoDollars } from '../../contract/usage/cost.ts'
import type { ListPrice } from './list-prices.ts'

/** The tokens of a model call; `undefined` when the provider does not report them. */
export interface CallTokens {
  /** Cached ones included. */
  readonly input: number | undefined
  readonly output: number | undefined
  readonly cachedInput: number
  readonly cacheWrite: number
}

/** The cost of a model call in US dollars; `null` when the price or the number of its tokens is unknown. */
export function callCost(price: ListPrice | undefined, tokens: CallTokens): number | null {
  const { input, output } = tokens
  if (price === undefined || input === undefined || output === undefined) return null
  const { cachedInput = price.input, cacheWrite = price.input, long } = price
  const factor = long !== undefined && input > long.over ? long : { input: 1, output: 1 }
  const read = Math.min(tokens.cachedInput, input)
  const written = Math.min(tokens.cacheWrite, input - read)
  const uncached = input - read - written
  const inputMicros = uncached * price.input + read * cachedInput + written * cacheWrite
  // dollars per million tokens are millionths of a dollar per token
  const micros = inputMicros * factor.input + output * price.output * factor.output
  return fromNanoDollars(Math.round(micros * 1000))
}
