import { describe, expect, test } from 'vitest'
import { callCost, type CallTokens } from '../../../../src/agent/prices/call-cost.ts'
import { LIST_PRICES, type ListPrice } from '../../../../src/agent/prices/list-prices.ts'

const NONE: CallTokens = { input: 0, output: 0, cachedInput: 0, cacheWrite: 0 }
const cost = (price: ListPrice | undefined, tokens: Partial<CallTokens>) =>
  callCost(price, { ...NONE, ...tokens })
const listed = (provider: string, id: string) => LIST_PRICES[provider]?.models[id]
const PRICE = { input: 2, output: 10, cachedInput: 0.5 }

describe('the cost of a model call', () => {
  test('counts cached input once, at its own price', () => {
    expect(cost(PRICE, { input: 1000, output: 100 })).toBe(0.003)
    expect(cost(PRICE, { input: 1000, cachedInput: 400, output: 100 })).toBe(0.0024)
    expect(cost(PRICE, { input: 1000, cachedInput: 1000 })).toBe(0.0005)
  })

  test('counts cached input like other input without a price for it', () => {
    expect(cost({ input: 2, output: 10 }, { input: 1000, cachedInput: 400 })).toBe(0.002)
  })

  test('has no rounding errors that can be seen', () => {
    expect(cost({ input: 0.1, output: 0.2 }, { input: 1, output: 1 })).toBe(0.000_000_3)
    expect(cost({ input: 0.15, output: 0.6 }, { input: 3, output: 7 })).toBe(0.000_004_65)
  })

  test('is unknown without a price, or when the provider reports no tokens', () => {
    expect(cost(undefined, { input: 10, output: 10 })).toBeNull()
    expect(cost(PRICE, { input: undefined, output: 5 })).toBeNull()
    expect(cost(PRICE, { input: 5, output: undefined })).toBeNull()
  })

  test('is 0 for a price of 0', () => {
    expect(cost({ input: 0, output: 0 }, { input: 10, output: 10 })).toBe(0)
  })

  test('counts what is written to the cache at its price', () => {
    const haiku = listed('anthropic', 'claude-haiku-4-5')
    expect(cost(haiku, { input: 1000, cachedInput: 300, cacheWrite: 200 })).toBe(0.000_78)
  })

  test('is higher for long prompts, from the first token on', () => {
    const pro = listed('google', 'gemini-2.5-pro')
    expect(cost(pro, { input: 200_000, output: 1000 })).toBe(0.26)
    expect(cost(pro, { input: 200_001, output: 1000, cachedInput: 1 })).toBe(0.515_000_25)
  })

  test('never counts more cached tokens than the prompt has', () => {
    expect(cost(PRICE, { input: 100, cachedInput: 400 })).toBe(0.000_05)
  })
})
