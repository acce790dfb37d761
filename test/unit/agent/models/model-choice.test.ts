import { describe, expect, test } from 'vitest'
import { demoModel } from '../../../../src/agent/models/demo/demo-model.ts'
import { chooseModel } from '../../../../src/agent/models/model-choice.ts'

const ALL = {
  AGENTSERVER_MODEL: 'ollama/qwen3:8b',
  OPENAI_API_KEY: 'sk-real-1',
  ANTHROPIC_API_KEY: 'sk-ant-real-2',
  GOOGLE_GENERATIVE_AI_API_KEY: 'AIzaReal3',
  OLLAMA_HOST: 'http://box:11434',
}

const choose = (env: Record<string, string>, model?: string) => chooseModel(model, { env, production: false })

describe('the chosen model', () => {
  test('is that of the first variable that is set, in the documented order', () => {
    const left: Record<string, string> = { ...ALL }
    const origins: string[] = []
    for (const name of Object.keys(ALL)) {
      origins.push(choose(left).origin)
      delete left[name]
    }
    expect([...origins, choose(left).origin]).toEqual([...Object.keys(ALL), 'demo'])
  })

  test('is the agent’s own before the environment', () => {
    expect(choose(ALL, 'openai/gpt-x')).toEqual({ provider: 'openai', modelId: 'gpt-x', origin: 'agent' })
    expect(chooseModel(demoModel(), { env: ALL, production: true })).toMatchObject({
      provider: 'demo',
      origin: 'agent',
    })
  })

  test('may have slashes in its id, and spaces around its name', () => {
    expect(choose({ AGENTSERVER_MODEL: ' openai/meta/llama-3 ' })).toEqual({
      provider: 'openai',
      modelId: 'meta/llama-3',
      origin: 'AGENTSERVER_MODEL',
    })
  })

  test.each([
    '',
    '   ',
    'sk-...',
    'sk-…',
    'sk-xxxxxxxx',
    'xxx',
    'your-api-key',
    'your_key_here',
    'YOUR-KEY',
    'changeme',
    'change-me',
    '<your key>',
    'sk-ant-...',
    'sk-proj-xxxx',
    'AIza...',
    'todo',
    'my-api-key',
  ])('ignores the placeholder %j', (key) => {
    expect(choose({ OPENAI_API_KEY: key, ANTHROPIC_API_KEY: 'sk-ant-real' }).origin).toBe('ANTHROPIC_API_KEY')
  })

  test.each(['sk-proj-Xxx9fT3BlbkFJ', 'dummy', 'lm-studio', 'yourope', 'x1'])('accepts the key %j', (key) => {
    expect(choose({ OPENAI_API_KEY: key }).origin).toBe('OPENAI_API_KEY')
  })

  test('is missing in production without any variable: unavailable, with the fix', () => {
    const settings = { env: { OPENAI_API_KEY: 'sk-...' }, production: true }
    expect(() => chooseModel(undefined, settings)).toThrow(
      expect.objectContaining({ code: 'unavailable', message: expect.stringContaining('OPENAI_API_KEY') }),
    )
  })

  test('is invalid for a malformed AGENTSERVER_MODEL, with the known providers', () => {
    for (const AGENTSERVER_MODEL of ['my-model', '/x', 'openai/', 'constructor/x']) {
      expect(() => choose({ AGENTSERVER_MODEL })).toThrow(
        expect.objectContaining({
          code: 'invalid_config',
          message: expect.stringMatching(/^AGENTSERVER_MODEL .*openai, anthropic, google, ollama/),
        }),
      )
    }
  })
})
