import { expect, it } from 'vitest'
import { estimate } from '../../../../src/agent/budgets/call-budget.ts'

const price = { input: 2, output: 10 }
const prompt = (text: string) => [{ role: 'user', content: [{ type: 'text', text }] }]
const tokensOf = (call: Parameters<typeof estimate>[0]) => estimate(call, price).tokens

it('the estimate of a call has a token for four characters of the prompt, and 1,000 of output', () => {
  const empty = tokensOf({ prompt: prompt('') })
  expect(empty).toBeLessThan(1020)
  expect(tokensOf({ prompt: prompt('x'.repeat(4000)) })).toBe(empty + 1000)
})

it('the estimate of a call has its maxOutputTokens, and its tools', () => {
  const [small, large] = [1, 5001].map((maxOutputTokens) => tokensOf({ prompt: prompt(''), maxOutputTokens }))
  expect(large! - small!).toBe(5000)
  const tools = [
    { type: 'function', name: 'look', description: 'x'.repeat(400), inputSchema: { type: 'object' } },
  ]
  expect(tokensOf({ prompt: prompt(''), tools }) - tokensOf({ prompt: prompt('') })).toBeGreaterThan(100)
})

it('the estimate of a call leaves the contents of files out', () => {
  const file = (data: unknown) => [
    { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data }] },
  ]
  const empty = tokensOf({ prompt: file('') })
  expect(tokensOf({ prompt: file('x'.repeat(1_000_000)) })).toBe(empty)
  expect(tokensOf({ prompt: file(new Uint8Array(1_000_000)) })).toBe(empty)
})

it('the estimate of a call costs its tokens in nano-dollars, and nothing without a price', () => {
  const call = { prompt: prompt('x'.repeat(4000)), maxOutputTokens: 100 }
  const { tokens, costNano } = estimate(call, price)
  expect(costNano).toBe((tokens - 100) * 2000 + 100 * 10_000)
  expect(estimate(call, undefined)).toEqual({ tokens, costNano: 0 })
})
