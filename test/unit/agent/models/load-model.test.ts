import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { chooseModel } from '../../../../src/agent/models/model-choice.ts'
import { loadModel } from '../../../../src/agent/models/load-model.ts'

describe('loading the model', () => {
  let projectDir = ''
  beforeEach(async () => {
    projectDir = await mkdtemp(join(tmpdir(), 'model-'))
  })
  afterEach(() => rm(projectDir, { recursive: true }))
  beforeEach(() => void vi.stubEnv('npm_config_user_agent', undefined))
  afterEach(() => void vi.unstubAllEnvs())
  const load = (env: Record<string, string>, model?: string) =>
    loadModel(chooseModel(model, { env, production: false }), model, { env, projectDir })

  test('openai and ollama need no package', async () => {
    const { model, ...openai } = await load({ OPENAI_API_KEY: 'sk-real' })
    expect(openai).toEqual({ provider: 'openai', modelId: 'gpt-4.1-mini', origin: 'OPENAI_API_KEY' })
    expect(model).toMatchObject({ modelId: 'gpt-4.1-mini', provider: 'openai.chat' })
    const ollama = await load({ OLLAMA_HOST: 'localhost' })
    expect(ollama).toMatchObject({
      provider: 'ollama',
      origin: 'OLLAMA_HOST',
      model: { provider: 'ollama.chat' },
    })
  })

  test('a self-hosted server needs no key, OpenAI does', async () => {
    await load({ OPENAI_BASE_URL: 'http://127.0.0.1:1234/v1' }, 'openai/local')
    await expect(load({}, 'openai/gpt-x')).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The model "openai/gpt-x" needs OPENAI_API_KEY, which is not set',
    })
  })

  test.each([
    ['anthropic', 'ANTHROPIC_API_KEY', '@ai-sdk/anthropic'],
    ['google', 'GOOGLE_GENERATIVE_AI_API_KEY', '@ai-sdk/google'],
  ])('%s names the command that installs its package', async (_provider, variable, name) => {
    await expect(load({ [variable]: 'real-key-1' })).rejects.toMatchObject({
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
    await expect(load({ ANTHROPIC_API_KEY: 'real-key-1' })).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`: run ${command} @ai-sdk/anthropic@3$`)) as string,
    })
  })

  test('a provider package is loaded from the project', async () => {
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
    const resolved = await load({ ANTHROPIC_API_KEY: ' sk-ant-real ', ANTHROPIC_BASE_URL: 'http://proxy' })
    expect(resolved).toMatchObject({
      provider: 'anthropic',
      origin: 'ANTHROPIC_API_KEY',
      model: { modelId: 'claude-haiku-4-5', settings: { apiKey: 'sk-ant-real', baseURL: 'http://proxy/v1' } },
    })
  })

  test.each(['127.0.0.1:8080/v1', 'ftp://user:pass@host', 'https://'])(
    'an invalid OPENAI_BASE_URL is reported without its value: %s',
    async (url) => {
      await expect(load({ OPENAI_API_KEY: 'sk-real', OPENAI_BASE_URL: url })).rejects.toThrow(
        /^OPENAI_BASE_URL must be a URL that begins with http:\/\/ or https:\/\/$/,
      )
    },
  )

  test('an invalid OLLAMA_HOST is reported without its value', async () => {
    await expect(load({ OLLAMA_HOST: 'http://a b' })).rejects.toThrow(
      'OLLAMA_HOST must be a host, host:port or a URL',
    )
  })
})
