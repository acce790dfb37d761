/** The price of a model in US dollars per million tokens. */
export interface ModelPrice {
  /** Tokens of the prompt. */
  readonly input: number
  /** Generated tokens, reasoning included. */
  readonly output: number
  /** Tokens of the prompt that were read from the provider's cache. Default: the price of `input`. */
  readonly cachedInput?: number | undefined
}

/** Prices by `provider/model`. */
export type ModelPrices = Readonly<Record<string, ModelPrice>>
