import { z } from 'zod'

const Dollars = z.number().nonnegative()

const NAME = 'Must have the form "provider/model", such as "openai/gpt-4.1-mini"'

/** Prices of models, by `provider/model`. */
export const Prices = z.record(
  z.string().regex(/^[^/\s]+\/\S+$/, NAME),
  z.strictObject({ input: Dollars, output: Dollars, cachedInput: Dollars.optional() }),
)
