import { describe, expect, test } from 'vitest'
import { resolveConfig } from '../../../../src/config/config.ts'

const resolve = (prices: unknown) => resolveConfig({ prices }, 'agentserver.config.ts')

function problemOf(prices: unknown): string {
  let thrown: unknown
  try {
    resolve(prices)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toMatchObject({ code: 'invalid_config' })
  return (thrown as Error).message
}

describe('prices', () => {
  test('are those of the configuration, and none by default', () => {
    const prices = { 'acme/fast': { input: 0, output: 1.5, cachedInput: 0.1 } }
    expect(resolve(prices).prices).toEqual(prices)
    expect(resolveConfig({}, 'agentserver.config.ts').prices).toEqual({})
  })

  test.each([
    [{ 'a/b': { input: -1, output: 1 } }, 'prices["a/b"].input: Too small: expected number to be >=0'],
    [{ 'a/b': { input: 1, output: -0.01 } }, 'prices["a/b"].output: Too small'],
    [{ 'a/b': { input: 1, output: 1, cachedInput: -1 } }, 'prices["a/b"].cachedInput: Too small'],
    [
      { 'a/b': { input: Number.NaN, output: 1 } },
      'prices["a/b"].input: Invalid input: expected number, received NaN',
    ],
    [{ 'a/b': { input: 1, output: Infinity } }, 'prices["a/b"].output: Invalid input: expected number'],
    [
      { 'a/b': { input: '1', output: 1 } },
      'prices["a/b"].input: Invalid input: expected number, received string',
    ],
    [{ 'a/b': { input: 1 } }, 'prices["a/b"].output: Invalid input: expected number, received undefined'],
    [
      { 'a/b': { input: 1, output: 1, cached: 1 } },
      'unknown option "prices["a/b"].cached". Did you mean "prices["a/b"].cachedInput"?',
    ],
    [{ 'a/b': 3 }, 'prices["a/b"]: Invalid input: expected object, received number'],
    [{ 'gpt-4o': { input: 1, output: 1 } }, 'prices["gpt-4o"]: Must have the form "provider/model"'],
    [{ '/gpt-4o': { input: 1, output: 1 } }, 'prices["/gpt-4o"]: Must have the form "provider/model"'],
    [{ 'openai/': { input: 1, output: 1 } }, 'prices["openai/"]: Must have the form "provider/model"'],
    [[], 'prices: Invalid input: expected record, received array'],
    [{ x: { input: 1, output: 1 }, 'a/b': { input: -1, output: 1 } }, 'prices["a/b"].input'],
  ])('%j are refused with the field', (prices, problem) => {
    expect(problemOf(prices)).toContain(problem)
  })
})
