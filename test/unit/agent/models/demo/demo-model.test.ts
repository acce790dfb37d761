import type { LanguageModelV3CallOptions, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { describe, expect, test } from 'vitest'
import { demoModel } from '../../../../../src/agent/models/demo/demo-model.ts'

const userMessage = (text: string): LanguageModelV3CallOptions['prompt'][number] => ({
  role: 'user',
  content: [{ type: 'text', text }],
})

const tools: LanguageModelV3CallOptions['tools'] = [
  {
    type: 'function',
    name: 'getWeather',
    description: 'The forecast for a city',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
  {
    type: 'function',
    name: 'refundOrder',
    description: 'Pays back a customer',
    inputSchema: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] },
  },
]

async function answer(options: LanguageModelV3CallOptions) {
  const { content, finishReason } = await demoModel().doGenerate(options)
  return { ...content[0], reason: finishReason.unified }
}

async function stream(
  options: LanguageModelV3CallOptions,
  delayMs = 0,
): Promise<LanguageModelV3StreamPart[]> {
  const { stream } = await demoModel({ delayMs }).doStream(options)
  const parts: LanguageModelV3StreamPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

describe('the demo model', () => {
  test('returns the same bytes for the same prompt, with a note that it is a demo', async () => {
    const prompt = [userMessage('Hello there')]
    const [one, other] = [await demoModel().doGenerate({ prompt }), await demoModel().doGenerate({ prompt })]
    expect(JSON.stringify(one)).toBe(JSON.stringify(other))
    expect(one.content).toEqual([
      { type: 'text', text: expect.stringMatching(/^You said: Hello there\n\n— demo model/) },
    ])
    expect(JSON.stringify(await stream({ prompt }))).toBe(JSON.stringify(await stream({ prompt })))
  })

  test('answers the last message', async () => {
    const prompt = [userMessage('first'), { role: 'assistant' as const, content: [] }, userMessage('second')]
    expect(await answer({ prompt })).toMatchObject({ text: expect.stringContaining('You said: second') })
  })

  test('remembers what the user has told about themselves', async () => {
    const answered = { role: 'assistant' as const, content: [] }
    const ask = async (...said: string[]) => {
      const call = await answer({
        prompt: said.flatMap((text) => [userMessage(text), answered]).slice(0, -1),
      })
      return 'text' in call ? call.text.split('\n')[0] : undefined
    }
    expect(await ask('My name is Ada.', 'Hello', 'What is my name?')).toBe('Your name is Ada.')
    expect(await ask('My name is Ada, my city is Ulm', 'And what’s new?', "What's my city?")).toBe(
      'Your city is Ulm.',
    )
    expect(await ask('My name is Ada', 'No, my name is Grace', 'What is my NAME?')).toBe(
      'Your name is Grace.',
    )
    expect(await ask('My name is Ada', 'What is my city?')).toBe('You said: What is my city?')
    expect(await ask('What is my name?')).toBe('You said: What is my name?')
  })

  test('delegates to the sub-agent whose description fits the message', async () => {
    const inputSchema = {
      type: 'object' as const,
      properties: { prompt: { type: 'string' as const } },
      required: ['prompt'],
    }
    const call = await answer({
      prompt: [userMessage('How is the weather in Bonn?')],
      tools: [
        { type: 'function', name: 'ask_guide', description: 'Knows museums and parks', inputSchema },
        {
          type: 'function',
          name: 'ask_meteorologist',
          description: 'Answers questions about the weather',
          inputSchema,
        },
      ],
    })
    expect(call).toMatchObject({ toolName: 'ask_meteorologist' })
    expect('input' in call && JSON.parse(call.input)).toEqual({ prompt: 'How is the weather in Bonn?' })
  })

  test('calls the tool that the instructions name for what the prompt says', async () => {
    const ask = (instructions: string) =>
      answer({
        prompt: [{ role: 'system', content: instructions }, userMessage('Will there be a storm?')],
        tools,
      })
    expect(await ask('Be brief. Use getWeather for a storm, and nothing else.')).toMatchObject({
      toolName: 'getWeather',
    })
    expect(await ask('Be brief. A storm is bad.\nUse getWeather.')).toMatchObject({ type: 'text' })
  })

  test.each([
    ['What is the weather in Lyon?', 'getWeather', { city: 'Lyon' }],
    ['Please refund the order A-12', 'refundOrder', { orderId: 'A-12' }],
    ['Who is the best customer?', 'refundOrder', { orderId: expect.any(String) }],
  ])('%s: calls the matching tool', async (text, toolName, input) => {
    const call = await answer({ prompt: [userMessage(text)], tools })
    expect(call).toMatchObject({ type: 'tool-call', toolName, reason: 'tool-calls' })
    expect(JSON.parse('input' in call ? call.input : '')).toEqual(input)
  })

  test('calls no tool without a shared word, and none that is not allowed', async () => {
    expect(await answer({ prompt: [userMessage('Tell me about the tides')], tools })).toMatchObject({
      type: 'text',
    })
    const toolChoice = { type: 'none' } as const
    expect(await answer({ prompt: [userMessage('weather in Lyon')], tools, toolChoice })).toMatchObject({
      type: 'text',
    })
  })

  test('calls a required tool', async () => {
    const prompt = [userMessage('hm')]
    expect(await answer({ prompt, tools, toolChoice: { type: 'required' } })).toMatchObject({
      type: 'tool-call',
    })
    const toolChoice = { type: 'tool', toolName: 'refundOrder' } as const
    expect(await answer({ prompt, tools, toolChoice })).toMatchObject({ toolName: 'refundOrder' })
  })

  test('repeats the result of a tool, and calls none again', async () => {
    const output = { type: 'json', value: { celsius: 21 } } as const
    const result = { type: 'tool-result', toolCallId: 'c1', toolName: 'getWeather', output } as const
    const prompt = [userMessage('weather in Lyon'), { role: 'tool' as const, content: [result] }]
    expect(await answer({ prompt, tools })).toMatchObject({
      type: 'text',
      text: expect.stringMatching(/^getWeather returned \{"celsius":21\}\n\n— demo model/),
    })
    const schema = {
      type: 'object' as const,
      properties: { celsius: { type: 'number' as const } },
      required: ['celsius'],
    }
    expect(await answer({ prompt, tools, responseFormat: { type: 'json', schema } })).toMatchObject({
      text: '{"celsius":21}',
    })
  })

  test('calls a required tool also after a result, if it can another one than before', async () => {
    const output = { type: 'json', value: { celsius: 21 } } as const
    const result = { type: 'tool-result', toolCallId: 'c1', toolName: 'getWeather', output } as const
    const prompt = [userMessage('weather in Lyon'), { role: 'tool' as const, content: [result] }]
    expect(await answer({ prompt, tools, toolChoice: { type: 'required' } })).toMatchObject({
      toolName: 'refundOrder',
    })
    const toolChoice = { type: 'tool', toolName: 'getWeather' } as const
    expect(await answer({ prompt, tools, toolChoice })).toMatchObject({ toolName: 'getWeather' })
  })

  test('streams the same answer as it generates', async () => {
    const text = await stream({ prompt: [userMessage('Hello  there')] })
    const deltas = text.flatMap((part) => (part.type === 'text-delta' ? [part.delta] : []))
    expect(deltas.length).toBeGreaterThan(5)
    expect(await answer({ prompt: [userMessage('Hello  there')] })).toMatchObject({ text: deltas.join('') })
    expect(text.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'stop' } })

    const call = await stream({ prompt: [userMessage('weather in Lyon')], tools })
    const input = call.flatMap((part) => (part.type === 'tool-input-delta' ? [part.delta] : [])).join('')
    expect(call.find((part) => part.type === 'tool-call')).toMatchObject({ toolName: 'getWeather', input })
  })

  test('stops when the call is aborted', async () => {
    const reason = new Error('left')
    const abortSignal = AbortSignal.abort(reason)
    await expect(demoModel().doGenerate({ prompt: [userMessage('x')], abortSignal })).rejects.toBe(reason)
    const controller = new AbortController()
    const parts = stream({ prompt: [userMessage('x')], abortSignal: controller.signal }, 60_000)
    controller.abort(reason)
    await expect(parts).rejects.toBe(reason)
    const midway = new AbortController()
    const { stream: flowing } = await demoModel().doStream({
      prompt: [userMessage('x y z')],
      abortSignal: midway.signal,
    })
    const reader = flowing.getReader()
    await reader.read()
    midway.abort(reason)
    const rest = async () => {
      while (!(await reader.read()).done);
    }
    await expect(rest()).rejects.toBe(reason)
  })
})
