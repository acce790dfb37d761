import { createAgent, createTool, createWorkflow, demoModel } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { KEY, onlyModelProvider } from '../support/model/model-env.ts'
import { completion, refusal, streamed } from '../support/model/model-provider.ts'
import { messagesOf, readerOf } from '../support/server/event-stream.ts'
import { dataOf, refusalOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const provider = onlyModelProvider()

const seen: unknown[] = []
const add = createTool({
  name: 'add',
  description: 'Adds two numbers',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }, { context, userId, conversationId }) => {
    seen.push({ context, userId, conversationId })
    if (a < 0) throw new Error('the password is hunter2')
    return { sum: a + b }
  },
})
const helper = createAgent({
  id: 'helper',
  name: 'Helper',
  description: 'Helps',
  instructions: 'Be brief.',
  tools: [add],
})
const demo = createAgent({ id: 'demo', name: 'Demo', instructions: 'x', model: demoModel(), tools: [add] })
const forgetful = createAgent({ id: 'forgetful', name: 'Forgetful', instructions: 'x', memory: false })
const asking = createAgent({
  id: 'asking',
  name: 'Asking',
  instructions: 'Ask.',
  subAgents: [helper],
  memory: { contextLimit: 1 },
})

const server = new TestServer({ agents: [helper, demo, forgetful, asking] })
afterAll(() => server.close())

interface Answer {
  readonly id: string
  readonly text: string
  readonly object: unknown
  readonly [key: string]: unknown
}

const ask = (agent: string, way: string, body: object) => server.post(`/agents/${agent}/${way}`, body)
const text = (input: unknown, options: object = {}, agent = 'helper') =>
  dataOf<Answer>(ask(agent, 'text', { input, options }))
const history = (agent: string, query = '') =>
  dataOf<Record<string, unknown>[]>(server.request(`/agents/${agent}/history${query}`))
const newest = async (agent: string) => (await history(agent, '?limit=1'))[0]
const partsOf = async (sent: Promise<Response>) =>
  (await messagesOf(sent)).map(({ event }) => event as unknown as Record<string, unknown>)
const usage = {
  inputTokens: 12,
  outputTokens: 5,
  totalTokens: 17,
  cachedInputTokens: 8,
  reasoningTokens: 3,
  costUsd: null,
}
const addCall = { id: 'call_1', name: 'add', input: { a: 2, b: 3 } }
const dayOf = { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] }

describe('an agent', () => {
  it('is listed with its model, and shown with instructions and schemas', async () => {
    const list = await dataOf<unknown[]>(server.request('/agents'))
    expect(list[0]).toEqual({
      id: 'helper',
      name: 'Helper',
      description: 'Helps',
      status: 'idle',
      model: 'gpt-4.1-mini',
      fallbackModels: [],
      perRequest: [],
      provider: 'openai',
      tools: [{ name: 'add', description: 'Adds two numbers' }],
      memory: true,
      workingMemory: false,
      served: true,
    })
    expect(list).toMatchObject([{}, { model: 'demo' }, { memory: false, description: '' }, {}])
    expect(await dataOf(server.request('/agents/asking'))).toMatchObject({
      instructions: 'Ask.',
      subAgents: [{ id: 'helper', name: 'Helper', description: 'Helps' }],
    })
    expect(await dataOf(server.request('/agents/helper'))).toMatchObject({
      tools: [{ inputSchema: { type: 'object', required: ['a', 'b'] }, outputSchema: null }],
    })
  })
})

describe('an agent that is used only by a workflow or another agent', () => {
  const inner = createAgent({ id: 'inner', name: 'Inner', instructions: 'x', model: demoModel() })
  const model = scriptedModel(
    [{ toolCalls: [{ toolName: 'ask_inner', input: { prompt: 'Why?' } }] }, 'Because'],
    { repeatLast: true },
  )
  const outer = createAgent({ id: 'outer', name: 'Outer', instructions: 'x', model, subAgents: [inner] })
  const asking = createWorkflow({ id: 'asking', name: 'Asking', inputSchema: z.object({}) }).andAgent({
    id: 'ask',
    agent: outer,
    prompt: 'Why, why?',
  })
  const hidden = new TestServer({ workflows: [asking] })
  afterAll(() => hidden.close())

  it('is listed and has a history, with every answer in the trace of the execution', async () => {
    const executed = await dataOf<{ result: unknown }>(
      hidden.post('/workflows/asking/execute', { input: {}, options: { userId: 'ann' } }),
    )
    expect(executed.result).toEqual({ text: 'Because' })
    expect(await dataOf(hidden.request('/agents'))).toMatchObject([
      { id: 'outer', served: false },
      { id: 'inner', served: false },
    ])
    expect(await dataOf(hidden.request('/agents/inner'))).toMatchObject({ instructions: 'x' })
    const recordOf = async (id: string) =>
      (await dataOf<Record<string, unknown>[]>(hidden.request(`/agents/${id}/history`)))[0]
    const above = await recordOf('outer')
    expect(above).toMatchObject({ input: 'Why, why?', output: 'Because', status: 'completed', userId: 'ann' })
    expect(await recordOf('inner')).toMatchObject({
      input: 'Why?',
      status: 'completed',
      userId: 'ann',
      traceId: above?.['traceId'],
    })
  })

  it('cannot be called over the API, which gives users no hint for developers', async () => {
    const refused = await refusalOf(hidden.post('/agents/inner/text', { input: 'x' }), 404)
    expect(refused).toBe('Agent not found: inner')
  })
})

describe('a sub-agent', () => {
  const asks = { id: 'call_2', name: 'ask_helper', input: { prompt: 'Why?' } }

  it('ends with the agent that calls it, and both are recorded', async () => {
    provider.script(streamed([asks]), { kind: 'hang' })
    const reader = readerOf(await ask('asking', 'stream', { input: 'Left' }))
    await reader.until(/tool-call/)
    await expect.poll(() => provider.calls).toHaveLength(2)
    await reader.cancel()
    await provider.calls[1]?.left
    await expect.poll(() => newest('asking')).toMatchObject({ input: 'Left', status: 'aborted' })
    await expect.poll(() => newest('helper')).toMatchObject({ input: 'Why?', status: 'aborted' })
  })

  it('that is aborted before its model reports usage makes that of the calling agent unknown', async () => {
    provider.script(streamed([asks]), { kind: 'hang' })
    const reader = readerOf(await ask('asking', 'stream', { input: 'Left' }))
    await reader.until(/tool-call/)
    await expect.poll(() => provider.calls).toHaveLength(2)
    await reader.cancel()
    await expect
      .poll(() => newest('asking'))
      .toMatchObject({ status: 'aborted', usage: { totalTokens: null } })
    await expect.poll(() => newest('helper')).toMatchObject({ status: 'aborted', usage: null })
  })

  it.each(['text', 'stream'])('has its usage included when the calling agent fails: %s', async (way) => {
    const asking = way === 'text' ? completion([asks]) : streamed([asks])
    provider.script(asking, completion('Because'), refusal(401, 'No more'))
    await (await ask('asking', way, { input: 'Why?' })).text()
    expect(await newest('asking')).toMatchObject({ status: 'error', usage: { totalTokens: 34 } })
    expect(await newest('helper')).toMatchObject({ status: 'completed', usage: { totalTokens: 17 } })
  })

  it('that fails is an error result for the model of the calling agent', async () => {
    provider.script(completion([asks]), refusal(401, `Wrong key ${KEY}`), completion('Nobody knows'))
    const answer = await text('Why?', { conversationId: 'apart', userId: 'ann' }, 'asking')
    expect(answer).toMatchObject({
      text: 'Nobody knows',
      toolResults: [{ error: 'openai rejected the key in OPENAI_API_KEY (401): Wrong key [redacted]' }],
    })
    expect(JSON.stringify(provider.shown())).not.toContain(KEY)
    expect(await newest('helper')).toMatchObject({
      status: 'error',
      traceId: answer['traceId'],
      userId: 'ann',
      conversationId: 'apart',
    })
  })

  it('neither reads nor extends the conversation', async () => {
    const options = { conversationId: 'private', userId: 'ann' }
    provider.script(completion('Hello'))
    await text('Secret', options)
    provider.script(completion([asks]), completion('Because'), completion('Because, they say'))
    await text('Why?', options, 'asking')
    expect(provider.shown(1)).toMatchObject([{ role: 'user', content: 'Why?' }])
    provider.script(completion('Bye'))
    await text('Bye', options)
    expect(provider.shown().map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
  })
})

describe('a text', () => {
  it('comes from the demo model without any provider', async () => {
    const answer = await text('Please add 2 and 3', {}, 'demo')
    expect(answer).toMatchObject({
      text: expect.stringContaining('add returned {"sum":5}') as string,
      finishReason: 'stop',
      model: 'demo/demo',
      toolCalls: [{ toolName: 'add', input: { a: 2, b: 3 } }],
      toolResults: [{ toolName: 'add', output: { sum: 5 } }],
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    })
    expect(answer['steps']).toHaveLength(2)
  })

  it('comes from the provider, with the usage and every step', async () => {
    provider.script(completion([addCall]), completion('It is 5'))
    const answer = await text('2 and 3?', { context: { tenant: 'acme' }, userId: 'u1', conversationId: 'c1' })
    expect(answer).toMatchObject({
      text: 'It is 5',
      finishReason: 'stop',
      model: 'openai/gpt-4.1-mini',
      usage: { inputTokens: 24, totalTokens: 34, cachedInputTokens: 16, reasoningTokens: 6 },
      toolCalls: [{ toolCallId: 'call_1', toolName: 'add', input: { a: 2, b: 3 } }],
      toolResults: [{ toolCallId: 'call_1', toolName: 'add', output: { sum: 5 } }],
      steps: [
        { finishReason: 'tool-calls', usage },
        { text: 'It is 5', usage },
      ],
    })
    expect(seen.at(-1)).toEqual({ context: { tenant: 'acme' }, userId: 'u1', conversationId: 'c1' })
  })

  it('is generated with the options of the call', async () => {
    provider.script(completion([addCall]))
    const options = {
      maxSteps: 1,
      temperature: 0.5,
      maxOutputTokens: 77,
      topP: 0.9,
      topK: 7,
      seed: 4,
      stopSequences: ['END'],
      providerOptions: { openai: { user: 'someone' } },
    }
    expect(await text('2 and 3?', options)).toMatchObject({ text: '', finishReason: 'tool-calls' })
    expect(provider.calls).toHaveLength(1)
    expect(provider.calls[0]?.body).toMatchObject({
      temperature: 0.5,
      max_tokens: 77,
      top_p: 0.9,
      top_k: 7,
      seed: 4,
      stop: ['END'],
      user: 'someone',
    })
  })

  it.each([
    [
      'ModelMessages',
      [
        { role: 'user', content: 'One' },
        { role: 'assistant', content: 'Two' },
        { role: 'user', content: [{ type: 'text', text: 'Three' }] },
      ],
    ],
    [
      'UIMessages',
      ['user', 'assistant', 'user'].map((role, index) => ({
        id: `m${index}`,
        role,
        parts: [{ type: 'text', text: ['One', 'Two', 'Three'][index] }],
      })),
    ],
  ])('accepts %s', async (_, input) => {
    provider.script(completion('Four'))
    await text(input)
    expect(provider.shown()).toMatchObject([
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'Two' },
      { role: 'user', content: 'Three' },
    ])
    expect(await newest('helper')).toMatchObject({ input, output: 'Four' })
  })

  it('includes the usage of sub-agents', async () => {
    provider.script(
      completion([{ id: 'call_2', name: 'ask_helper', input: { prompt: 'Why?' } }]),
      completion('Because'),
      completion('Because, they say'),
    )
    expect(await text('Why?', {}, 'asking')).toMatchObject({ usage: { totalTokens: 51 } })
  })

  it.each([
    [{}, 'input: Required'],
    [{ input: 7 }, 'input: Must be a text, or a list of 1 to 1000 messages'],
    [{ input: ' ' }, 'input: Must not be blank'],
    [{ input: [{ role: 'user', content: '' }] }, 'input[0].content: Must not be empty'],
    [{ input: [{ role: 'user', content: [] }] }, 'input[0].content: Must not be empty'],
    [{ input: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }] }, 'input[0].content: Must not be'],
    [{ input: [{ role: 'user', parts: [{ type: 'text', text: ' ' }] }] }, 'input[0].parts: Must not be'],
    [{ input: 'x', options: { topK: 1.5 } }, 'options.topK'],
    [{ input: 'x', options: { seed: 0.5 } }, 'options.seed'],
    [{ input: [] }, 'input: Too small'],
    [{ input: [{ role: 'system', content: 'Obey' }] }, 'input[0].role: Must be "user"'],
    [{ input: [{ role: 'user', content: 5 }] }, 'input[0].content'],
    [{ input: [{ role: 'user', parts: [{ type: 'text' }] }] }, 'input[0].parts[0]'],
    [{ input: 'x', options: { temperature: 'hot' } }, 'options.temperature'],
    [{ input: 'x', options: { maxSteps: 0 } }, 'options.maxSteps'],
    [{ input: 'x', options: { contextLimit: -1 } }, 'options.contextLimit'],
    [{ input: 'x', options: { stopSequences: 'END' } }, 'options.stopSequences'],
    [{ input: 'x', options: { providerOptions: { openai: 1 } } }, 'options.providerOptions.openai'],
    [{ input: 'x', options: { userId: '' } }, 'options.userId'],
  ])('is refused for %j, naming the field', async (body, message) => {
    for (const way of ['text', 'stream'])
      expect(await refusalOf(ask('helper', way, body), 400)).toContain(message)
  })

  it('does not contain the error of a tool, which is only logged', async () => {
    provider.script(completion([{ ...addCall, input: { a: -1, b: 3 } }]), completion('It failed'))
    const answer = await text('x')
    expect(answer).toMatchObject({ toolResults: [{ error: 'Tool "add" failed' }] })
    expect(JSON.stringify(answer)).not.toContain('hunter2')
    expect(JSON.stringify(server.logs)).toContain('hunter2')
  })
})

describe('a call that matches no tool', () => {
  it('fails with the message that the model receives', async () => {
    const call = { ...addCall, name: 'subtract' }
    provider.script(completion([call]), completion('It failed'), streamed([call]), streamed(['It failed']))
    const error = expect.stringContaining("unavailable tool 'subtract'") as string
    expect(await text('x')).toMatchObject({ toolResults: [{ error }] })
    const parts = await partsOf(ask('helper', 'stream', { input: 'x' }))
    expect(parts).toContainEqual(expect.objectContaining({ type: 'tool-error', error }))
  })
})

describe('an object', () => {
  it('is requested with its schema, and validated', async () => {
    provider.script(completion('{"day":"friday"}'))
    const answer = await dataOf<Answer>(ask('helper', 'object', { input: 'When?', schema: dayOf }))
    expect(answer).toMatchObject({ object: { day: 'friday' }, finishReason: 'stop', usage })
    expect(provider.calls[0]?.body['response_format']).toMatchObject({
      type: 'json_schema',
      json_schema: { schema: { required: ['day'] } },
    })
    expect(await newest('helper')).toMatchObject({ id: answer.id, output: { day: 'friday' } })
  })

  it.each([
    ['does not fit', '{"day":5}', 'answer.day'],
    ['is no JSON', 'Friday', 'is not valid JSON'],
  ])('that %s is a 500, and recorded', async (_, content, message) => {
    provider.script(completion(content))
    const reply = ask('helper', 'object', { input: 'When?', schema: dayOf })
    expect(await refusalOf(reply, 500)).toContain(message)
    expect(await newest('helper')).toMatchObject({
      status: 'error',
      error: expect.stringContaining(message) as string,
    })
  })

  it.each([
    [{ type: 'nonsense' }, 'schema: '],
    [{ $ref: '#/nowhere' }, 'schema: '],
    [{ colour: 'red' }, 'schema: '],
    ['text', 'schema: '],
    [undefined, 'schema: '],
  ])('with the schema %j is refused', async (schema, message) => {
    for (const way of ['object', 'stream-object'])
      expect(await refusalOf(ask('helper', way, { input: 'x', schema }), 400)).toContain(message)
  })

  it('is streamed as it grows', async () => {
    provider.script(streamed(['{"day"', ':"fri', 'day"', '}']))
    expect(await partsOf(ask('helper', 'stream-object', { input: 'When?', schema: dayOf }))).toEqual([
      { type: 'object-delta', object: {} },
      { type: 'object-delta', object: { day: 'fri' } },
      { type: 'object-delta', object: { day: 'friday' } },
      expect.objectContaining({ type: 'finish', object: { day: 'friday' }, usage, finishReason: 'stop' }),
    ])
    expect(await newest('helper')).toMatchObject({ status: 'completed', output: { day: 'friday' } })
  })

  it('may be a list or a plain value', async () => {
    const schema = { type: 'array', items: { type: 'number' } }
    provider.script(streamed(['{"value":[1', ',2]}']))
    const parts = await partsOf(ask('helper', 'stream-object', { input: 'x', schema }))
    expect(parts.map(({ object }) => object)).toEqual([[1], [1, 2], [1, 2]])
  })

  it('that does not match the schema ends its stream with the reason', async () => {
    provider.script(streamed(['{"day":5}']))
    const parts = await partsOf(ask('helper', 'stream-object', { input: 'When?', schema: dayOf }))
    expect(parts.at(-1)).toEqual({ type: 'error', error: expect.stringContaining('answer.day') as string })
  })
})

describe('a stream', () => {
  it('has the parts of the AI SDK, numbered, and ends with the usage', async () => {
    provider.script(streamed([addCall]), streamed(['It', ' is', ' 5']))
    const messages = await messagesOf(ask('helper', 'stream', { input: '2 and 3?' }))
    expect(messages.map(({ id }) => id)).toEqual(messages.map((_, index) => index + 1))
    const parts = messages.map(({ event }) => event as unknown as Record<string, unknown>)
    const types = parts.map(({ type }) => type as string)
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      'start',
      'start-step',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
      'tool-call',
      'tool-result',
      'finish-step',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ])
    expect(parts.flatMap((part) => (part['type'] === 'text-delta' ? [part['text']] : [])).join('')).toBe(
      'It is 5',
    )
    expect(parts.at(-1)).toMatchObject({ usage: { totalTokens: 34 }, model: 'openai/gpt-4.1-mini' })
    expect(await newest('helper')).toMatchObject({
      id: parts.at(-1)?.['id'],
      status: 'completed',
      output: 'It is 5',
      usage: { totalTokens: 34 },
    })
    // callers must not set instructions
    expect(JSON.stringify(parts)).not.toContain('Be brief')
  })

  it.each([
    ['stream', {}],
    ['stream-object', { schema: dayOf }],
  ])('aborts the model call when the client disconnects: %s', async (way, more) => {
    provider.script(streamed(['{"day":"fri'], 'hang'))
    const calling = provider.nextCall()
    const reader = readerOf(await ask('helper', way, { input: 'When?', ...more }))
    await reader.until(/fri/)
    expect(await dataOf(server.request('/agents'))).toMatchObject([
      { id: 'helper', status: 'running' },
      {},
      {},
      {},
    ])
    await reader.cancel()
    await (
      await calling
    ).left
    expect(await newest('helper')).toMatchObject({ status: 'aborted', output: '{"day":"fri' })
    expect(await dataOf(server.request('/agents'))).toMatchObject([{ status: 'idle' }, {}, {}, {}])
  })

  it('calls the agent’s hooks at its end', async () => {
    const ends: unknown[] = []
    const hooks = {
      onEnd: ({ result, error }: { result?: { text: string }; error?: unknown }) =>
        void ends.push(result?.text ?? String(error)),
    }
    const watched = new TestServer({
      agents: [createAgent({ id: 'watched', name: 'W', instructions: 'x', hooks })],
    })
    provider.script(streamed(['Fine']))
    await messagesOf(watched.post('/agents/watched/stream', { input: 'x' }))
    provider.script(refusal(401, 'Wrong'))
    await messagesOf(watched.post('/agents/watched/stream', { input: 'x' }))
    provider.script(streamed(['Once'], 'hang'))
    const reader = readerOf(await watched.post('/agents/watched/stream', { input: 'x' }))
    await reader.until(/Once/)
    await reader.cancel()
    await expect.poll(() => ends).toHaveLength(3)
    expect(ends).toEqual(['Fine', expect.stringContaining('401'), expect.stringContaining('abort')])
    await watched.close()
  })

  it('that runs when the server stops may finish within the grace period', async () => {
    const stopping = new TestServer({ agents: [helper] })
    provider.script(streamed(['Once', ' more']))
    const response = await stopping.post('/agents/helper/stream', { input: 'x' })
    const closing = stopping.close()
    expect((await messagesOf(response)).at(-1)?.event).toMatchObject({ type: 'finish' })
    await closing
  })

  it('that starts while the server stops may finish, too', async () => {
    let isReady = false
    let closing: Promise<void> | undefined
    const model = new Proxy(demoModel(), {
      // read when a run starts
      get(target, name) {
        if (name === 'provider' && isReady) closing ??= Promise.resolve().then(() => stopping.close())
        return Reflect.get(target, name, target) as unknown
      },
    })
    const late = createAgent({ id: 'late', name: 'Late', instructions: 'x', model })
    const stopping = new TestServer({ agents: [late] })
    await dataOf(stopping.request('/agents'))
    isReady = true
    const answer = await dataOf<Answer>(stopping.post('/agents/late/text', { input: 'Hello' }))
    expect(answer.text).toContain('Hello')
    expect(closing).toBeDefined()
    await closing
  })

  it('that the provider disconnects ends with an error', async () => {
    provider.script(streamed(['It is'], 'disconnect'))
    const parts = await partsOf(ask('helper', 'stream', { input: 'x' }))
    const error = 'openai/gpt-4.1-mini disconnected during its answer; try again later'
    expect(parts.at(-1)).toEqual({ type: 'error', error })
    expect(await newest('helper')).toMatchObject({ status: 'error', error, output: 'It is' })
  })

  it('contains the provider’s error without its key', async () => {
    provider.script(refusal(401, `Wrong key ${KEY}`))
    const parts = await partsOf(ask('helper', 'stream', { input: 'x' }))
    expect(parts.at(-1)).toEqual({
      type: 'error',
      error: 'openai rejected the key in OPENAI_API_KEY (401): Wrong key [redacted]',
    })
    expect(JSON.stringify(await newest('helper'))).not.toContain(KEY)
  })
})

describe('a provider that', () => {
  it('rejects the key is a 500 without the key', async () => {
    provider.script(refusal(401, `Wrong key ${KEY}`))
    expect(await refusalOf(ask('helper', 'text', { input: 'x' }), 500)).toBe(
      'openai rejected the key in OPENAI_API_KEY (401): Wrong key [redacted]',
    )
    expect(await newest('helper')).toMatchObject({ status: 'error', output: null, usage: null })
  })

  it('is busy is retried', async () => {
    provider.script(refusal(429, 'Slow down', { 'retry-after-ms': '1' }), completion('Hello'))
    expect((await text('x')).text).toBe('Hello')
    provider.script(refusal(429, 'Slow down', { 'retry-after-ms': '1' }), streamed(['Hello']))
    expect((await partsOf(ask('helper', 'stream', { input: 'x' }))).at(-1)).toMatchObject({ type: 'finish' })
  })

  it('stays busy is a 503 with Retry-After', async () => {
    provider.script(refusal(503, 'busy', { 'retry-after-ms': '1', 'retry-after': '20' }))
    const response = await ask('helper', 'text', { input: 'x' })
    expect(response.headers.get('retry-after')).toBe('20')
    expect(await refusalOf(response, 503)).toContain('openai failed (503)')
  })

  it('names a private address as a file is not sent a request', async () => {
    const file = { type: 'file', mediaType: 'image/png', data: 'http://127.0.0.1:9/secret.png' }
    const input = [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, file] }]
    const message = await refusalOf(ask('demo', 'text', { input }), 400)
    expect(message).toMatch(/^A file of the input could not be downloaded: /)
  })

  it('blocks an answer is an error with the reason', async () => {
    const filtered = completion('')
    if (filtered.kind !== 'json') throw new Error('not JSON')
    const body = JSON.parse(JSON.stringify(filtered.body).replace('"stop"', '"content_filter"')) as unknown
    provider.script({ ...filtered, body })
    expect(await text('x')).toMatchObject({ text: '', finishReason: 'content-filter' })
    expect(await refusalOf(ask('helper', 'object', { input: 'x', schema: dayOf }), 500)).toContain(
      "blocked by the provider's content filter",
    )
  })

  it('sends an unreadable stream ends the stream with an error', async () => {
    provider.script({ kind: 'stream', chunks: ['{{{'], end: 'done' })
    const parts = await partsOf(ask('helper', 'stream', { input: 'x' }))
    expect(parts.at(-1)).toMatchObject({ type: 'error', error: expect.stringContaining('openai') as string })
    expect(await newest('helper')).toMatchObject({ status: 'error' })
  })

  it.each(['text', 'stream'])('hangs is aborted after the agent’s timeout: %s', async (way) => {
    const hasty = new TestServer({
      agents: [createAgent({ id: 'hasty', name: 'Hasty', instructions: 'x', timeoutMs: 60_000 })],
    })
    provider.script(way === 'text' ? { kind: 'hang' } : streamed(['Once'], 'hang'))
    const calling = provider.nextCall()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const late = 'Agent "hasty" did not answer within 60000 ms'
    try {
      const reply = hasty.post(`/agents/hasty/${way}`, { input: 'x' })
      const call = await calling
      if (way === 'stream') await readerOf((await reply).clone()).until(/Once/)
      await vi.advanceTimersByTimeAsync(60_000)
      if (way === 'text') expect(await refusalOf(reply, 503)).toBe(late)
      else expect((await partsOf(reply)).at(-1)).toEqual({ type: 'error', error: late })
      await call.left
    } finally {
      vi.useRealTimers()
    }
    const [run] = await dataOf<unknown[]>(hasty.request('/agents/hasty/history'))
    expect(run).toMatchObject({ status: 'error', error: late, output: way === 'text' ? null : 'Once' })
    await hasty.close()
  })

  it('returns an unreadable response is a 500', async () => {
    provider.script({ kind: 'json', status: 200, body: 'not json' })
    expect(await refusalOf(ask('helper', 'text', { input: 'x' }), 500)).toMatch(
      /^openai returned an unreadable response \(200\): /,
    )
  })

  it('fails during a stream is quoted without keys', async () => {
    const piece = { id: 'x', choices: [{ index: 0, delta: { content: 'It is' } }] }
    const failure = { error: { message: `Overloaded, ${KEY}`, type: 'server_error' } }
    provider.script({ kind: 'stream', chunks: [piece, failure], end: 'done' })
    const parts = await partsOf(ask('helper', 'stream', { input: 'x' }))
    const error = 'openai/gpt-4.1-mini failed during its answer: Overloaded, [redacted]'
    expect(parts.at(-1)).toEqual({ type: 'error', error })
    expect(await newest('helper')).toMatchObject({ status: 'error', error })
  })

  it('fails is in the log of the trace', async () => {
    provider.script(refusal(401, 'Wrong key'))
    await refusalOf(ask('helper', 'text', { input: 'x' }), 500)
    const { traceId } = (await newest('helper')) as { traceId: string }
    const records = await dataOf<unknown[]>(server.request(`/observability/traces/${traceId}/logs`))
    expect(records).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        message: 'Agent "helper" failed: openai rejected the key in OPENAI_API_KEY (401): Wrong key',
        spanId: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
        attributes: expect.objectContaining({ agentId: 'helper' }) as object,
      }),
    )
  })

  it('does not respond is aborted when the client disconnects', async () => {
    provider.script({ kind: 'hang' })
    const calling = provider.nextCall()
    const controller = new AbortController()
    const response = server.request('/agents/helper/text', {
      json: { input: 'x' },
      signal: controller.signal,
    })
    const call = await calling
    controller.abort()
    await call.left
    expect((await response).status).toBe(503)
    expect(await newest('helper')).toMatchObject({ status: 'aborted', output: null })
  })

  it.each(['text', 'stream'])('does not respond is aborted when the connection closes: %s', async (way) => {
    provider.script({ kind: 'hang' })
    const calling = provider.nextCall()
    const { url } = await server.listen()
    const controller = new AbortController()
    const response = fetch(`${url}/agents/helper/${way}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'x' }),
      signal: controller.signal,
    }).then((response) => response.text())
    const call = await calling
    controller.abort()
    await expect(response).rejects.toThrow('aborted')
    await call.left
    await expect.poll(() => newest('helper')).toMatchObject({ status: 'aborted' })
  })

  it('is missing in production is a 503', async () => {
    vi.stubEnv('OPENAI_API_KEY', '')
    vi.stubEnv('OPENAI_BASE_URL', '')
    const production = new TestServer({ agents: [helper, demo] }, { production: true })
    for (const way of ['text', 'stream', 'chat']) {
      const body = { input: 'x', id: 'c', messages: [{ role: 'user', content: 'x' }] }
      const message = await refusalOf(production.post(`/agents/helper/${way}`, body), 503)
      expect(message).toBe('No language model is configured')
    }
    expect(await dataOf(production.request('/agents'))).toMatchObject([
      { model: null, provider: null },
      { model: 'demo' },
    ])
    expect((await dataOf<Answer>(production.post('/agents/demo/text', { input: 'x' }))).text).toContain(
      'demo model',
    )
    await production.close()
  })
})

describe('memory', () => {
  const say = (input: string, options: object, agent = 'helper') => {
    provider.script(completion(`Re: ${input}`))
    return text(input, options, agent)
  }
  const shownMessages = () => provider.shown().map(({ content }) => content)

  it('continues a conversation, for text and streams', async () => {
    const options = { conversationId: 'long', userId: 'ann' }
    await say('One', options)
    provider.script(streamed(['Re: ', 'Two']))
    await partsOf(ask('helper', 'stream', { input: 'Two', options }))
    await say('Three', options)
    expect(shownMessages()).toEqual(['One', 'Re: One', 'Two', 'Re: Two', 'Three'])
  })

  it('separates users and conversations', async () => {
    await say('Secret', { conversationId: 'shared', userId: 'ann' })
    for (const options of [
      { conversationId: 'shared', userId: 'bob' },
      { conversationId: 'shared' },
      { conversationId: 'other', userId: 'ann' },
      { userId: 'ann' },
    ]) {
      await say('Hello', options)
      expect(shownMessages()).toEqual(['Hello'])
    }
  })

  it('sends the model the newest messages, up to the limit', async () => {
    const options = { conversationId: 'limits' }
    for (let n = 1; n <= 12; n++) await say(`M${n}`, options)
    await say('Last', options)
    expect(shownMessages()).toHaveLength(21)
    await say('Last', { ...options, contextLimit: 2 })
    expect(shownMessages()).toEqual(['Last', 'Re: Last', 'Last'])
    await say('Last', { ...options, contextLimit: 0 })
    expect(shownMessages()).toEqual(['Last'])
    await say('Last', options, 'asking')
    expect(shownMessages()).toEqual(['Re: Last', 'Last'])
  })

  it('keeps tool calls with their results, and never a result without its call', async () => {
    const options = { conversationId: 'tools' }
    provider.script(completion([addCall]), completion('It is 5'))
    await text('2 and 3?', options)
    await say('Sure?', options)
    expect(provider.shown().map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
    ])
    await say('Sure?', { ...options, contextLimit: 4 })
    expect(provider.shown().map(({ role }) => role)).toEqual(['assistant', 'user', 'assistant', 'user'])
  })

  it('has no failed answers, and is empty for agents without memory', async () => {
    const options = { conversationId: 'failed' }
    provider.script(refusal(400, 'no'))
    expect(await refusalOf(ask('helper', 'text', { input: 'One', options }), 500)).toContain('400')
    await say('Two', options)
    expect(shownMessages()).toEqual(['Two'])
    await say('One', options, 'forgetful')
    expect(shownMessages()).toEqual(['One'])
  })
})

describe('the history', () => {
  it('has every answer, newest first, by pages and filters', async () => {
    provider.script(completion('Hello'))
    for (let n = 1; n <= 5; n++)
      await text(`H${n}`, { userId: 'paging', conversationId: n > 3 ? 'new' : 'old' })
    provider.script(refusal(400, 'no'))
    await refusalOf(ask('helper', 'text', { input: 'H6', options: { userId: 'paging' } }), 500)
    const inputs = async (query: string) => (await history('helper', query)).map(({ input }) => input)
    expect(await inputs('?userId=paging')).toEqual(['H6', 'H5', 'H4', 'H3', 'H2', 'H1'])
    expect(await inputs('?userId=paging&limit=4&page=2')).toEqual(['H2', 'H1'])
    expect(await inputs('?userId=paging&status=error')).toEqual(['H6'])
    expect(await inputs('?userId=paging&conversationId=new')).toEqual(['H5', 'H4'])
    const response = await server.request('/agents/helper/history?userId=paging&limit=2')
    expect(response.headers.get('x-total-count')).toBe('6')
    await response.body?.cancel()
    expect((await history('helper', '?userId=paging&page=2&limit=5'))[0]).toMatchObject({
      agentId: 'helper',
      status: 'completed',
      output: 'Hello',
      usage,
      model: 'openai/gpt-4.1-mini',
      startTime: expect.any(String) as string,
      endTime: expect.any(String) as string,
      conversationId: 'old',
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      steps: [{ text: 'Hello' }],
    })
    expect(await inputs('?userId=nobody')).toEqual([])
  })

  it.each([
    ['status=lost', 'status'],
    ['page=0', 'page'],
    ['limit=201', 'limit'],
  ])('refuses ?%s', async (query, field) => {
    expect(await refusalOf(server.request(`/agents/helper/history?${query}`), 400)).toContain(`${field}: `)
  })
})
