import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { describe, expect, test } from 'vitest'
import { chooseModel } from '../../../../src/agent/models/model-choice.ts'
import { loadModel } from '../../../../src/agent/models/load-model.ts'
import type { ModelObject } from '../../../../src/agent/model-object.ts'
import { findPrice } from '../../../../src/agent/prices/find-price.ts'
import { LIST_PRICES } from '../../../../src/agent/prices/list-prices.ts'
import type { ModelPrices } from '../../../../src/agent/prices/model-price.ts'

const GPT_4O = { input: 2.5, cachedInput: 1.25, output: 10 }

/** The price of a model without visible settings. */
function priceOf(name: string, prices: ModelPrices = {}) {
  const [provider = '', ...id] = name.split('/')
  const modelId = id.join('/')
  const model = { provider, modelId } as ModelObject
  return findPrice({ provider, modelId, model }, prices)
}

/** The price of a model that an agent names. */
async function priceOfName(name: string, env: Record<string, string>, prices: ModelPrices = {}) {
  const choice = chooseModel(name, { env, production: false })
  return findPrice(await loadModel(choice, name, { env, projectDir: process.cwd() }), prices)
}

const priceOfObject = (model: ModelObject, prices: ModelPrices = {}) =>
  findPrice({ provider: model.provider, modelId: model.modelId, model }, prices)

describe('list prices', () => {
  test('have a source, a day and plausible numbers', () => {
    for (const { source, date, models } of Object.values(LIST_PRICES)) {
      expect(source).toMatch(/^https:/)
      expect(date).toMatch(/^20\d\d-\d\d-\d\d$/)
      for (const [id, { input, output, cachedInput = input, cacheWrite = input }] of Object.entries(models)) {
        expect([id, output >= input, cachedInput <= input, cacheWrite >= input]).toEqual([
          id,
          true,
          true,
          true,
        ])
      }
    }
    expect(Object.keys(LIST_PRICES)).toEqual(['openai', 'anthropic', 'google'])
  })

  test('are known for the models that are chosen by default', async () => {
    expect(await priceOfName('openai/gpt-4.1-mini', { OPENAI_API_KEY: 'sk-real-1' })).toMatchObject({
      input: 0.4,
    })
    expect(priceOf('anthropic/claude-haiku-4-5')).toMatchObject({ input: 1, output: 5, cachedInput: 0.1 })
    expect(priceOf('google/gemini-2.5-flash')).toMatchObject({ input: 0.3, output: 2.5 })
  })

  test.each([
    ['openai/gpt-4o', GPT_4O],
    ['openai/gpt-4o-2024-08-06', GPT_4O],
    ['openai.responses/gpt-4o-2024-11-20', GPT_4O],
    ['openai/gpt-4o-2024-05-13', { input: 5, output: 15 }],
    ['openai.chat/gpt-4o-mini-2024-07-18', { input: 0.15, cachedInput: 0.075, output: 0.6 }],
  ])('%s has that of its model or of its own', (name, price) => {
    expect(priceOf(name)).toEqual(price)
  })

  test.each([
    ['anthropic.messages/claude-sonnet-4-5-20250929', 3],
    ['anthropic/claude-3-5-haiku-latest', 0.8],
    ['google.generative-ai/gemini-2.5-pro', 1.25],
    ['google/gemini-2.5-flash-001', 0.3],
  ])('%s has that of its model', (name, input) => {
    expect(priceOf(name)).toMatchObject({ input })
  })

  test.each([
    'openai/gpt-4o-audio-preview',
    'openai/gpt-4o-2024',
    'openai/ft:gpt-4o-2024-08-06:acme::id',
    'openai/toString',
    'azure.responses/gpt-4o',
    'openrouter/openai/gpt-4o',
    'google.vertex.chat/gemini-2.5-pro',
    'vertex.anthropic.messages/claude-sonnet-4-5',
    'amazon-bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0',
    'toString/gpt-4o',
    'demo/demo',
    'ollama/llama3.2',
  ])('%s has none', (name) => {
    expect(priceOf(name)).toBeUndefined()
  })
})

describe('a model that is called at another server', () => {
  const key = { OPENAI_API_KEY: 'sk-real-1' }

  test('has no list price when it is reached by a base URL', async () => {
    expect(await priceOfName('openai/gpt-4o', key)).toEqual(GPT_4O)
    for (const OPENAI_BASE_URL of [
      'http://127.0.0.1:1234/v1',
      'https://api.groq.com/openai/v1',
      'https://acme.openai.azure.com/v1',
      'https://eu.api.openai.com/v1',
    ])
      expect([OPENAI_BASE_URL, await priceOfName('openai/gpt-4o', { ...key, OPENAI_BASE_URL })]).toEqual([
        OPENAI_BASE_URL,
        undefined,
      ])
    expect(
      await priceOfName('openai/gpt-4o', { ...key, OPENAI_BASE_URL: 'https://api.openai.com/v1/' }),
    ).toEqual(GPT_4O)
  })

  test('has none when it is an object of the AI SDK with a base URL', () => {
    const anthropic = (baseURL?: string) =>
      createAnthropic({ apiKey: 'x', ...(baseURL !== undefined && { baseURL }) })('claude-haiku-4-5')
    const google = (baseURL?: string) =>
      createGoogleGenerativeAI({ apiKey: 'x', ...(baseURL !== undefined && { baseURL }) })('gemini-2.5-flash')
    const compatible = (baseURL: string) =>
      createOpenAICompatible({ name: 'openai', baseURL }).chatModel('gpt-4o')
    expect(priceOfObject(anthropic())).toMatchObject({ input: 1 })
    expect(priceOfObject(anthropic('https://proxy.example/v1'))).toBeUndefined()
    expect(priceOfObject(google())).toMatchObject({ input: 0.3 })
    expect(priceOfObject(google('https://proxy.example/v1'))).toBeUndefined()
    expect(priceOfObject(compatible('https://api.openai.com/v1'))).toEqual(GPT_4O)
    expect(priceOfObject(compatible('https://proxy.example/v1'))).toBeUndefined()
  })

  test('has the price of the configuration', async () => {
    const prices = { 'openai/gpt-4o': { input: 1, output: 2 } }
    const env = { ...key, OPENAI_BASE_URL: 'http://127.0.0.1:1234/v1' }
    expect(await priceOfName('openai/gpt-4o', env, prices)).toEqual({ input: 1, output: 2 })
  })
})

describe('a price of the configuration', () => {
  const own = { input: 1, output: 2 }

  test.each([
    ['openai/gpt-4o', 'openai/gpt-4o'],
    ['openai.responses/gpt-4o', 'openai/gpt-4o'],
    ['openai.responses/gpt-4o', 'openai.responses/gpt-4o'],
    ['openai/gpt-4o-2024-08-06', 'openai/gpt-4o'],
    ['openai/gpt-4o-2024-05-13', 'openai/gpt-4o'],
    ['demo/demo', 'demo/demo'],
    ['openrouter/openai/gpt-4o', 'openrouter/openai/gpt-4o'],
    ['google.generative-ai/gemini-2.5-pro', 'google/gemini-2.5-pro'],
  ])('is that of %s by the name %s', (model, name) => {
    expect(priceOf(model, { [name]: own })).toBe(own)
  })

  test('is not that of other models', () => {
    const prices = { 'openai/gpt-4o-2024-08-06': own, 'azure/gpt-4o': own }
    expect(priceOf('openai/gpt-4o', prices)).toEqual(GPT_4O)
    expect(priceOf('openai/gpt-4o-2024-11-20', prices)).toEqual(GPT_4O)
    expect(priceOf('openai/gpt-4o-2024-08-06', { ...prices, 'openai/gpt-4o': { input: 9, output: 9 } })).toBe(
      own,
    )
  })
})
