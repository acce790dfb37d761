import * as ai from 'ai'
import { expect, test } from 'vitest'
import { ModelError } from '../../../../src/agent/models/model-error.ts'
import { translateError } from '../../../../src/agent/models/provider-error.ts'

const model = { provider: 'openai', modelId: 'gpt-x', origin: 'OPENAI_API_KEY' } as const
const call = { ai, model, redact: (text: string) => text.replaceAll('s3cret', '[redacted]') }

const translated = (cause: Error): ModelError => {
  const { message } = cause
  const error = new ai.APICallError({ message, cause, url: 'http://box/v1', requestBodyValues: {} })
  const result = translateError(error, call)
  if (!(result instanceof ModelError)) throw new Error('not a ModelError')
  return result
}

test.each([
  ['connect ECONNREFUSED 127.0.0.1:9', 'openai cannot be reached: connect ECONNREFUSED 127.0.0.1:9'],
  ['terminated', 'openai/gpt-x disconnected during its answer'],
])('a provider that cannot be reached (%s) is a 503 with the time to retry', (message, shown) => {
  const error = translated(new TypeError(message))
  expect(error).toMatchObject({ status: 503, headers: { 'Retry-After': '10' } })
  expect(error.message).toBe(`${shown}; try again later`)
  expect(error.toPublic()).toMatchObject({ status: 503, headers: { 'Retry-After': '10' } })
  expect(error.toPublic().message).toBe('The model provider is unavailable (503)')
})

test('a secret at the end of a shortened message is redacted', () => {
  const { message } = translated(new Error(`${'x'.repeat(297)}s3cret${'x'.repeat(297)}`))
  expect(message).toContain('xxx[re…; try again later')
  expect(message).not.toContain('s3c')
})

test('a model of the project that passes on the error of fetch is a 503 with the time to retry', () => {
  const cause = new Error('connect ECONNREFUSED s3cret:443')
  const error = translateError(new TypeError('fetch failed', { cause }), call)
  expect(error).toMatchObject({ status: 503, headers: { 'Retry-After': '10' } })
  expect((error as Error).message).toBe(
    'openai cannot be reached: connect ECONNREFUSED [redacted]:443; try again later',
  )
})
