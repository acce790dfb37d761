import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { demoModel } from '../../../../src/agent/models/demo/demo-model.ts'
import { chooseModel } from '../../../../src/agent/models/model-choice.ts'
import { resolveModel } from '../../../../src/agent/models/resolve-model.ts'

const ALL = {
  AGENTSERVER_MODEL: 'ollama/qwen3:8b',
  OPENAI_API_KEY: 'sk-real-1',
  ANTHROPIC_API_KEY: 'sk-ant-real-2',
  GOOGLE_GENERATIVE_AI_API_KEY: 'AIzaReal3',
  OLLAMA_HOST: 'http://box:11434',
}

const choose = (env: Record<string, string>, model?: string) => chooseModel(model, { env, production: false })

describe('which model answers', () => {
  test('the first variable that is set, in the documented order', () => {
    const left: Record<string, string> = { ...ALL }
    const origins: string[] = []
    for (const name of Object.keys(ALL)) {
      origins.push(choose(left).origin)
      delete left[name]
    }
    expect([...origins, choose(left).origin]).toEqual([...Object.keys(ALL), 'demo'])
  })

  test('the agent before the environment', () => {
    expect(choose(ALL, 'openai/gpt-x')).toEqual({ provider: 'openai', modelId: 'gpt-x', origin: 'agent' })
    expect(chooseModel(demoModel(), { env: ALL, production: true })).toMatchObject({
      provider: 'demo',
      origin: 'agent',
    })
  })

  test('a model name may hold slashes and blanks around it', () => {
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
  ])('the placeholder %j counts as absent', (key) => {
    expect(choose({ OPENAI_API_KEY: key, ANTHROPIC_API_KEY: 'sk-ant-real' }).origin).toBe('ANTHROPIC_API_KEY')
  })

  test.each(['sk-proj-Xxx9fT3BlbkFJ', 'dummy', 'lm-studio', 'yourope', 'x1'])('the key %j counts', (key) => {
    expect(choose({ OPENAI_API_KEY: key }).origin).toBe('OPENAI_API_KEY')
  })

  test('in production without any: unavailable, and the way out', () => {
    const settings = { env: { OPENAI_API_KEY: 'sk-...' }, production: true }
    expect(() => chooseModel(undefined, settings)).toThrow(
      expect.objectContaining({ code: 'unavailable', message: expect.stringContaining('OPENAI_API_KEY') }),
    )
  })

  test('a malformed AGENTSERVER_MODEL is told with the known providers', () => {
    for (const AGENTSERVER_MODEL of ['gpt-4', '/x', 'openai/', 'constructor/x']) {
      expect(() => choose({ AGENTSERVER_MODEL })).toThrow(
        expect.objectContaining({
          code: 'invalid_config',
          message: expect.stringMatching(/^AGENTSERVER_MODEL .*openai, anthropic, google, ollama/),
        }),
      )
    }
  })
})

describe('loading the model', () => {
  let projectDir = ''
  beforeEach(async () => {
    projectDir = await mkdtemp(join(tmpdir(), 'model-'))
  })
  afterEach(() => rm(projectDir, { recursive: true }))
  beforeEach(() => void vi.stubEnv('npm_config_user_agent', undefined))
  afterEach(() => void vi.unstubAllEnvs())
  const resolve = (env: Record<string, string>, model?: string) =>
    resolveModel(model, { env, production: false, projectDir })

  test('openai and ollama need nothing installed', async () => {
    const { model, ...openai } = await resolve({ OPENAI_API_KEY: 'sk-real' })
    expect(openai).toEqual({ provider: 'openai', modelId: 'gpt-4.1-mini', origin: 'OPENAI_API_KEY' })
    expect(model).toMatchObject({ modelId: 'gpt-4.1-mini', provider: 'openai.chat' })
    const ollama = await resolve({ OLLAMA_HOST: 'localhost' })
    expect(ollama).toMatchObject({
      provider: 'ollama',
      origin: 'OLLAMA_HOST',
      model: { provider: 'ollama.chat' },
    })
  })

  test('a server of one’s own needs no key, OpenAI does', async () => {
    await resolve({ OPENAI_BASE_URL: 'http://127.0.0.1:1234/v1' }, 'openai/local')
    await expect(resolve({}, 'openai/gpt-x')).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The model "openai/gpt-x" needs OPENAI_API_KEY, which is not set',
    })
  })

  test.each([
    ['anthropic', 'ANTHROPIC_API_KEY', '@ai-sdk/anthropic'],
    ['google', 'GOOGLE_GENERATIVE_AI_API_KEY', '@ai-sdk/google'],
  ])('%s names the command that installs its package', async (_provider, variable, name) => {
    await expect(resolve({ [variable]: 'real-key-1' })).rejects.toMatchObject({
      code: 'unavailable',
      message: `The package "${name}" is not installed: run npm install ${name}@3`,
    })
  })

  test.each([
    ['pnpm-lock.yaml', '', 'pnpm add'],
    ['yarn.lock', '', 'yarn add'],
    ['bun.lock', '', 'bun add'],
    ['package.json', '{"packageManager":"pnpm@10.1.0"}', 'pnpm add'],
  ])('in a project with %s %s the command is %s', async (file, content, command) => {
    await writeFile(join(projectDir, file), content)
    await expect(resolve({ ANTHROPIC_API_KEY: 'real-key-1' })).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`: run ${command} @ai-sdk/anthropic@3$`)) as string,
    })
  })

  test('a provider package is taken from the project', async () => {
    const folder = join(projectDir, 'node_modules/@ai-sdk/anthropic')
    await mkdir(folder, { recursive: true })
    await writeFile(
      join(folder, 'package.json'),
      '{"name":"@ai-sdk/anthropic","type":"module","exports":{"import":"./index.js"}}',
    )
    await writeFile(
      join(folder, 'index.js'),
      'export const createAnthropic = (settings) => (modelId) => ({ modelId, provider: "fake", settings })',
    )
    const resolved = await resolve({ ANTHROPIC_API_KEY: ' sk-ant-real ', ANTHROPIC_BASE_URL: 'http://proxy' })
    expect(resolved).toMatchObject({
      provider: 'anthropic',
      origin: 'ANTHROPIC_API_KEY',
      model: { modelId: 'claude-haiku-4-5', settings: { apiKey: 'sk-ant-real', baseURL: 'http://proxy/v1' } },
    })
  })

  test.each(['127.0.0.1:8080/v1', 'ftp://user:pass@host', 'https://'])(
    'an OPENAI_BASE_URL that is no address is told, without its value: %s',
    async (url) => {
      await expect(resolve({ OPENAI_API_KEY: 'sk-real', OPENAI_BASE_URL: url })).rejects.toThrow(
        /^OPENAI_BASE_URL must be a URL that begins with http:\/\/ or https:\/\/$/,
      )
    },
  )

  test('an OLLAMA_HOST that is no address is told, without its value', async () => {
    await expect(resolve({ OLLAMA_HOST: 'http://a b' })).rejects.toThrow(
      'OLLAMA_HOST must be a host, host:port or a URL',
    )
  })
})
