import type { LanguageModelV3CallOptions } from '@ai-sdk/provider'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type AgentConfig } from '../../../../src/agent/agent.ts'
import { createAgent } from '../../../../src/agent/create-agent.ts'
import { demoModel } from '../../../../src/agent/models/demo/demo-model.ts'
import { generate } from '../../../support/model/generate.ts'
import type { GenerationEnd } from '../../../../src/agent/hooks.ts'
import { createTool } from '../../../../src/agent/tools/create-tool.ts'
import type { ToolContext } from '../../../../src/agent/tools/tool.ts'
import { scripted } from '../../../support/model/scripted.ts'

const demo = { env: {}, production: false }
const agentWith = (config: Partial<AgentConfig> = {}) =>
  createAgent({ id: 'helper', name: 'Helper', instructions: 'Help.', ...config })

const contexts: ToolContext[] = []
const weatherConfig = {
  name: 'getWeather',
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }: { city: string }, context: ToolContext) => {
    contexts.push(context)
    return { city, celsius: 21 }
  },
}
const weather = createTool(weatherConfig)

const lastToolOutput = (call: LanguageModelV3CallOptions | undefined) => {
  const message = call?.prompt.at(-1)
  const [part] = message?.role === 'tool' ? message.content : []
  return part?.type === 'tool-result' ? part.output : undefined
}

describe('an agent’s answer', () => {
  test('is a text with the model that generated it', async () => {
    const result = await generate(agentWith(), { prompt: 'Good morning', ...demo })
    expect(result).toMatchObject({
      text: expect.stringContaining('Good morning'),
      object: undefined,
      finishReason: 'stop',
      model: { provider: 'demo', modelId: 'demo', origin: 'demo' },
    })
    expect(result.usage.totalTokens).toBe(
      Number(result.usage.inputTokens) + Number(result.usage.outputTokens),
    )
  })

  test('uses the instructions and the prompt', async () => {
    const model = scripted('ok')
    await generate(agentWith({ model }), { prompt: 'Hi', ...demo })
    expect(model.calls[0]?.prompt).toMatchObject([
      { role: 'system', content: 'Help.' },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    ])
  })

  test('uses the settings of the call', async () => {
    const model = scripted('ok')
    const settings = {
      temperature: 0.5,
      maxOutputTokens: 77,
      topP: 0.9,
      topK: 3,
      seed: 4,
      stopSequences: ['END'],
      providerOptions: { script: { tone: 'calm' } },
    }
    await generate(agentWith({ model }), { prompt: 'Hi', settings, ...demo })
    expect(model.calls[0]).toMatchObject(settings)
  })

  test('uses the settings of the agent where the call has none', async () => {
    const model = scripted('ok')
    const agent = createAgent({
      id: 'calm',
      name: 'Calm',
      instructions: 'Help.',
      model,
      temperature: 0.1,
      seed: 4,
      providerOptions: { script: { tone: 'calm', size: 'small' } },
    })
    const settings = { temperature: 0.5, providerOptions: { script: { tone: 'loud' }, other: { a: 1 } } }
    await generate(agent, { prompt: 'Hi', settings, ...demo })
    expect(model.calls[0]).toMatchObject({
      temperature: 0.5,
      seed: 4,
      providerOptions: { script: { tone: 'loud', size: 'small' }, other: { a: 1 } },
    })
  })

  test('is incomplete after maxSteps of the call', async () => {
    const model = scripted({ tool: 'getWeather', input: { city: 'Oslo' } })
    const agent = agentWith({ model, tools: [weather] })
    const { text, steps } = await generate(agent, { prompt: 'x', settings: { maxSteps: 2 }, ...demo })
    expect(text).toBe('')
    expect(steps.map(({ toolResults }) => toolResults[0]?.output)).toEqual([
      { city: 'Oslo', celsius: 21 },
      { city: 'Oslo', celsius: 21 },
    ])
  })

  test('requires a model in production, unless the agent sets the demo model', async () => {
    const production = { prompt: 'x', env: {}, production: true }
    await expect(generate(agentWith(), production)).rejects.toMatchObject({ code: 'unavailable' })
    expect((await generate(agentWith({ model: demoModel() }), production)).model.origin).toBe('agent')
  })
})

describe('tools', () => {
  test('are called with the context of the call', async () => {
    const logger = pino({ enabled: false })
    const options = { context: { tenant: 'acme' }, userId: 'u1', conversationId: 'c1', logger }
    const agent = agentWith({ tools: [weather] })
    const { text } = await generate(agent, { prompt: 'What is the weather in Oslo?', ...options, ...demo })
    expect(text).toContain('getWeather returned {"city":"Oslo","celsius":21}')
    expect(contexts.at(-1)).toMatchObject({ context: { tenant: 'acme' }, userId: 'u1', conversationId: 'c1' })
    expect(contexts.at(-1)?.logger).toBe(logger)
  })

  test('that fail or receive invalid input return the reason to the model', async () => {
    const failing = createTool({
      ...weatherConfig,
      name: 'fails',
      execute: () => Promise.reject(new Error('no signal')),
    })
    const model = scripted(
      { tool: 'fails', input: { city: 'Oslo' } },
      { tool: 'getWeather', input: { town: 'Oslo' } },
      'done',
    )
    const { text } = await generate(agentWith({ model, tools: [weather, failing] }), { prompt: 'x', ...demo })
    expect(text).toBe('done')
    expect(lastToolOutput(model.calls[1])).toEqual({
      type: 'error-text',
      value: expect.stringContaining('no signal'),
    })
    expect(lastToolOutput(model.calls[2])).toMatchObject({
      value: expect.stringContaining('input.city: Required'),
    })
  })

  test('that need approval are not executed', async () => {
    const before = contexts.length
    const model = scripted({ tool: 'getWeather', input: { city: 'Oslo' } }, 'ok')
    const guarded = createTool({ ...weatherConfig, needsApproval: ({ city }) => city === 'Oslo' })
    await generate(agentWith({ model, tools: [guarded] }), { prompt: 'x', ...demo })
    expect(contexts.length).toBe(before)
    expect(lastToolOutput(model.calls[1])).toMatchObject({ value: expect.stringContaining('approval') })
  })

  test('are called until maxSteps, then the agent fails', async () => {
    const model = scripted({ tool: 'getWeather', input: { city: 'Oslo' } })
    const agent = agentWith({ model, tools: [weather], maxSteps: 3 })
    await expect(generate(agent, { prompt: 'x', ...demo })).rejects.toMatchObject({
      code: 'execution_failed',
      message: 'Agent "helper" did not answer within 3 steps',
    })
    expect(model.calls.length).toBe(3)
  })
})

describe('sub-agents', () => {
  test('are called like tools, with the same context, and their usage is included', async () => {
    const inner = scripted({ tool: 'getWeather', input: { city: 'Rome' } }, 'It is warm')
    const subAgent = createAgent({
      id: 'meteo.v2',
      name: 'Meteo',
      instructions: 'Weather.',
      model: inner,
      tools: [weather],
    })
    const outer = scripted({ tool: 'ask_meteo_v2', input: { prompt: 'Rome?' } }, 'Warm, they say')
    const agent = agentWith({ model: outer, subAgents: [subAgent] })
    const { text, usage } = await generate(agent, { prompt: 'x', userId: 'u7', ...demo })
    expect(text).toBe('Warm, they say')
    expect(lastToolOutput(outer.calls[1])).toEqual({ type: 'text', value: 'It is warm' })
    expect(contexts.at(-1)?.userId).toBe('u7')
    expect(usage).toEqual({
      inputTokens: 40,
      outputTokens: 20,
      totalTokens: 60,
      cachedInputTokens: 16,
      reasoningTokens: 8,
      costUsd: null,
    })
  })
})

describe('an answer with a schema', () => {
  const schema = z.object({ city: z.string(), days: z.int().default(2) })

  test('is the value as transformed by the schema', async () => {
    const model = scripted('{"city":"Oslo"}')
    const { object } = await generate(agentWith({ model }), { prompt: 'x', schema, ...demo })
    expect(object).toEqual({ city: 'Oslo', days: 2 })
    expect(model.calls[0]?.responseFormat).toMatchObject({
      type: 'json',
      schema: { type: 'object', required: ['city'] },
    })
  })

  test('may be a list, a plain value, or recursive', async () => {
    const list = { type: 'array', items: { anyOf: [{ type: 'number' }, { $ref: '#' }] } }
    const model = scripted('{"value":[1,[2]]}')
    expect((await generate(agentWith({ model }), { prompt: 'x', schema: list, ...demo })).object).toEqual([
      1,
      [2],
    ])
    expect(model.calls[0]?.responseFormat).toMatchObject({
      schema: { properties: { value: { items: { anyOf: [{}, { $ref: '#/properties/value' }] } } } },
    })
    const { object } = await generate(agentWith(), { prompt: 'Average of 3 and 5', schema: list, ...demo })
    expect(object).toEqual([3, 5])
    const days = z.enum(['monday', 'friday'])
    expect((await generate(agentWith(), { prompt: 'On Friday', schema: days, ...demo })).object).toBe(
      'friday',
    )
  })

  test('that does not match is an error that names the path', async () => {
    const model = scripted('{"city":5}')
    await expect(generate(agentWith({ model }), { prompt: 'x', schema, ...demo })).rejects.toMatchObject({
      code: 'execution_failed',
      message: expect.stringContaining('answer.city'),
    })
  })

  test.each(['no JSON at all', ''])('that is %j is an error', async (text) => {
    const response = generate(agentWith({ model: scripted(text) }), { prompt: 'x', schema, ...demo })
    await expect(response).rejects.toMatchObject({ code: 'execution_failed' })
  })

  test('comes after tool calls', async () => {
    const schema = z.object({ celsius: z.number() })
    const prompt = 'weather in Oslo'
    expect((await generate(agentWith({ tools: [weather] }), { prompt, schema, ...demo })).object).toEqual({
      celsius: 21,
    })
  })
})

describe('an abort', () => {
  test('before or during a model call ends it with the signal’s reason', async () => {
    const reason = new Error('cancelled')
    const response = generate(agentWith(), { prompt: 'x', signal: AbortSignal.abort(reason), ...demo })
    await expect(response).rejects.toBe(reason)
    const controller = new AbortController()
    const model = scripted('')
    model.doGenerate = ({ abortSignal }) =>
      new Promise((_resolve, reject) => {
        abortSignal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
        controller.abort(reason)
      })
    await expect(
      generate(agentWith({ model }), { prompt: 'x', signal: controller.signal, ...demo }),
    ).rejects.toBe(reason)
  })

  test('during a tool call reaches the tool', async () => {
    const controller = new AbortController()
    let reached = false
    const slow = createTool({
      ...weatherConfig,
      execute: (_input, { signal }) => {
        controller.abort(new Error('cancelled'))
        reached = signal.aborted
        return 'late'
      },
    })
    const model = scripted({ tool: 'getWeather', input: { city: 'Oslo' } }, 'never asked')
    const response = generate(agentWith({ model, tools: [slow] }), {
      prompt: 'x',
      signal: controller.signal,
      ...demo,
    })
    await expect(response).rejects.toThrow('cancelled')
    expect({ reached, calls: model.calls.length }).toEqual({ reached: true, calls: 1 })
  })
})

describe('a model that hangs', () => {
  const hanging = () => {
    const model = scripted('')
    model.doGenerate = () => new Promise(() => undefined)
    model.doStream = () => new Promise(() => undefined)
    return model
  }

  test('ends after the agent’s timeout, even if it ignores the abort', async () => {
    const ends: unknown[] = []
    const hooks = { onEnd: ({ error }: { error?: unknown }) => void ends.push(error) }
    const response = generate(agentWith({ model: hanging(), timeoutMs: 20, hooks }), { prompt: 'x', ...demo })
    const late = { code: 'unavailable', message: 'Agent "helper" did not answer within 20 ms' }
    await expect(response).rejects.toMatchObject(late)
    expect(ends).toMatchObject([late])
  })

  test('as a sub-agent does not use up the timeout of the calling agent', async () => {
    const subAgent = agentWith({ id: 'slow', model: hanging(), timeoutMs: 20 })
    const outer = scripted({ tool: 'ask_slow', input: { prompt: 'Rome?' } }, 'Nobody knows')
    const { text } = await generate(agentWith({ model: outer, subAgents: [subAgent] }), {
      prompt: 'x',
      ...demo,
    })
    expect(text).toBe('Nobody knows')
    expect(lastToolOutput(outer.calls[1])).toMatchObject({
      value: expect.stringContaining('Agent "slow" did not answer within 20 ms') as string,
    })
  })
})

describe('hooks', () => {
  test('are called at the start, for each tool call and at the end', async () => {
    const seen: unknown[] = []
    const agent = agentWith({
      model: scripted({ tool: 'getWeather', input: { city: 'Oslo' } }, 'fine'),
      tools: [weather],
      hooks: {
        onStart: ({ prompt }) => void seen.push(prompt),
        onToolStart: ({ toolName, input }) => void seen.push(toolName, input),
        onToolEnd: ({ output }) => void seen.push(output),
        onEnd: ({ result }) => void seen.push(result?.text),
      },
    })
    await generate(agent, { prompt: 'x', ...demo })
    expect(seen).toEqual(['x', 'getWeather', { city: 'Oslo' }, { city: 'Oslo', celsius: 21 }, 'fine'])
  })

  test('can refuse, and receive failures', async () => {
    const refusal = new Error('not at night')
    const refusing = agentWith({ hooks: { onStart: () => Promise.reject(refusal) } })
    await expect(generate(refusing, { prompt: 'x', ...demo })).rejects.toBe(refusal)
    let seen: unknown
    const hooks = { onEnd: ({ error }: GenerationEnd) => void (seen = error) }
    const failing = agentWith({ model: 'openai/gpt-x', hooks })
    await expect(generate(failing, { prompt: 'x', ...demo })).rejects.toThrow('needs OPENAI_API_KEY')
    expect(seen).toMatchObject({ code: 'unavailable' })
  })
})
