import type { ModelPrice } from './model-price.ts'

/** A published price, with what a configuration can't declare. */
export interface ListPrice extends ModelPrice {
  /** Tokens of the prompt that are written to the cache for its shortest time. Default: the price of `input`. */
  readonly cacheWrite?: number
  /** Factors for calls whose prompt has more tokens than `over`. */
  readonly long?: LongPrompts
}

interface LongPrompts {
  readonly over: number
  /** Of all input tokens, cached ones included. */
  readonly input: number
  readonly output: number
}

interface PriceList {
  /** The page on which the provider publishes its prices. */
  readonly source: string
  /** The day as of which they are listed here. */
  readonly date: string
  /** The host of the provider's own API. Others that speak its protocol have prices of their own. */
  readonly host: string
  readonly models: Readonly<Record<string, ListPrice>>
}

type Prices = readonly [input: number, cachedInput: number | undefined, output: number]

const price = ([input, cachedInput, output]: Prices, more: Partial<ListPrice> = {}): ListPrice => ({
  input,
  output,
  ...(cachedInput !== undefined && { cachedInput }),
  ...more,
})

const LONG_OPENAI = { over: 272_000, input: 2, output: 1.5 }
const LONG_GEMINI = { over: 200_000, input: 2, output: 1.5 }

/** Of models with a price for writing to the cache, 1.25 times that of input. */
const withCacheWrites = (prices: Prices, more: Partial<ListPrice> = {}): ListPrice =>
  price(prices, { cacheWrite: prices[0] * 1.25, ...more })

/** The providers' list prices for text by the name of the provider: standard tier, in US dollars per million tokens. */
export const LIST_PRICES: Readonly<Record<string, PriceList>> = {
  openai: {
    source: 'https://developers.openai.com/api/docs/pricing',
    date: '2026-10-27',
    host: 'api.openai.com',
    models: {
      'gpt-6-astra': withCacheWrites([10, 1, 50], { long: LONG_OPENAI }),
      'gpt-6.1-sol': withCacheWrites([2, 0.1, 10], { long: LONG_OPENAI }),
      'gpt-6-sol': withCacheWrites([2, 0.2, 10], { long: LONG_OPENAI }),
      'gpt-6.1-terra': withCacheWrites([1, 0.05, 5], { long: LONG_OPENAI }),
      'gpt-6-luna': withCacheWrites([0.1, 0.01, 0.5], { long: LONG_OPENAI }),
      'gpt-5.6': withCacheWrites([4, 0.4, 20], { long: LONG_OPENAI }),
      'gpt-5.6-sol': withCacheWrites([4, 0.4, 20], { long: LONG_OPENAI }),
      'gpt-5.6-terra': withCacheWrites([2, 0.2, 12], { long: LONG_OPENAI }),
      'gpt-5.6-luna': withCacheWrites([0.2, 0.02, 1.2], { long: LONG_OPENAI }),
      'gpt-5.5': price([5, 0.5, 30], { long: LONG_OPENAI }),
      'gpt-5.5-pro': price([30, undefined, 180], { long: LONG_OPENAI }),
      'gpt-5.4': price([2.5, 0.25, 15], { long: LONG_OPENAI }),
      'gpt-5.4-pro': price([30, undefined, 180], { long: LONG_OPENAI }),
      'gpt-5.4-mini': price([0.75, 0.075, 4.5]),
      'gpt-5.4-nano': price([0.2, 0.02, 1.25]),
      'gpt-5.3-codex': price([1.75, 0.175, 14]),
      'gpt-5.2': price([1.75, 0.175, 14]),
      'gpt-5.2-codex': price([1.75, 0.175, 14]),
      'gpt-5.2-pro': price([21, undefined, 168]),
      'gpt-5.1': price([1.25, 0.125, 10]),
      'gpt-5.1-codex': price([1.25, 0.125, 10]),
      'gpt-5': price([1.25, 0.125, 10]),
      'gpt-5-codex': price([1.25, 0.125, 10]),
      'gpt-5-mini': price([0.25, 0.025, 2]),
      'gpt-5-nano': price([0.05, 0.005, 0.4]),
      'gpt-5-pro': price([15, undefined, 120]),
      'gpt-4.1': price([2, 0.5, 8]),
      'gpt-4.1-mini': price([0.4, 0.1, 1.6]),
      'gpt-4.1-nano': price([0.1, 0.025, 0.4]),
      'gpt-4o': price([2.5, 1.25, 10]),
      'gpt-4o-2024-05-13': price([5, undefined, 15]),
      'gpt-4o-mini': price([0.15, 0.075, 0.6]),
      'o4-mini': price([1.1, 0.275, 4.4]),
      o3: price([2, 0.5, 8]),
      'o3-mini': price([1.1, 0.55, 4.4]),
      'o3-pro': price([20, undefined, 80]),
      o1: price([15, 7.5, 60]),
      'gpt-4-turbo': price([10, undefined, 30]),
      'gpt-4': price([30, undefined, 60]),
      'gpt-3.5-turbo': price([0.5, undefined, 1.5]),
    },
  },
  anthropic: {
    source: 'https://platform.claude.com/docs/en/about-claude/pricing',
    date: '2026-10-24',
    host: 'api.anthropic.com',
    models: {
      'claude-fable-5-1': withCacheWrites([10, 0.25, 50]),
      'claude-mythos-5-1': withCacheWrites([10, 0.25, 50]),
      'claude-fable-5': withCacheWrites([10, 1, 50]),
      'claude-mythos-5': withCacheWrites([10, 1, 50]),
      'claude-opus-5-5': withCacheWrites([4, 0.2, 20]),
      'claude-opus-5': withCacheWrites([5, 0.5, 25]),
      'claude-opus-4-8': withCacheWrites([5, 0.5, 25]),
      'claude-opus-4-7': withCacheWrites([5, 0.5, 25]),
      'claude-opus-4-6': withCacheWrites([5, 0.5, 25]),
      'claude-opus-4-5': withCacheWrites([5, 0.5, 25]),
      'claude-opus-4-1': withCacheWrites([15, 1.5, 75]),
      'claude-opus-4': withCacheWrites([15, 1.5, 75]),
      'claude-opus-4-0': withCacheWrites([15, 1.5, 75]),
      'claude-sonnet-5-5': withCacheWrites([2, 0.1, 10]),
      'claude-sonnet-5': withCacheWrites([2, 0.2, 10]),
      'claude-sonnet-4-6': withCacheWrites([3, 0.3, 15]),
      'claude-sonnet-4-5': withCacheWrites([3, 0.3, 15]),
      'claude-sonnet-4': withCacheWrites([3, 0.3, 15]),
      'claude-sonnet-4-0': withCacheWrites([3, 0.3, 15]),
      'claude-haiku-5-5': withCacheWrites([0.1, 0.01, 0.5], {
        long: { over: 100_000, input: 5, output: 5 },
      }),
      'claude-haiku-4-5': withCacheWrites([1, 0.1, 5]),
      'claude-3-5-haiku': withCacheWrites([0.8, 0.08, 4]),
    },
  },
  google: {
    source: 'https://ai.google.dev/gemini-api/docs/pricing',
    date: '2026-10-07',
    host: 'generativelanguage.googleapis.com',
    models: {
      // these three at half their price until the end of 2026
      'gemini-3.8-flash': price([0.75, 0.075, 3.75]),
      'gemini-3.7-flash': price([0.75, 0.075, 3.75]),
      'gemini-3.6-flash': price([0.75, 0.075, 3.75]),
      'gemini-3.5-flash': price([1.5, 0.15, 9]),
      'gemini-3.5-flash-lite': price([0.3, 0.03, 2.5]),
      'gemini-3.1-pro-preview': price([2, 0.2, 12], { long: LONG_GEMINI }),
      'gemini-3.1-flash-lite': price([0.25, 0.025, 1.5]),
      'gemini-3-flash-preview': price([0.5, 0.05, 3]),
      'gemini-2.5-pro': price([1.25, 0.125, 10], { long: LONG_GEMINI }),
      'gemini-2.5-flash': price([0.3, 0.03, 2.5]),
      'gemini-2.5-flash-lite': price([0.1, 0.01, 0.4]),
    },
  },
}
