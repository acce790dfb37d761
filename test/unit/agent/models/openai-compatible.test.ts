import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { json } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../../../src/agent/create-agent.ts'
import { isOpenAi, wireBody } from '../../../../src/agent/models/openai-compatible.ts'
import { createTool } from '../../../../src/agent/tools/create-tool.ts'
import { generate, type TestCall } from '../../../support/model/generate.ts'

const KEY = 'local-key-0123456789'

interface Reply {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body: unknown
}

interface Received {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Record<string, unknown>
}

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** Starts a local server that returns the replies in order, and repeats the last one. */
async function serve(...replies: Reply[]) {
  const received: Received[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = z.record(z.string(), z.unknown()).parse(await json(request))
    received.push({ path: request.url, headers: request.headers, body })
    const reply = replies[received.length - 1] ?? replies.at(-1)
    response.writeHead(reply?.status ?? 200, { 'content-type': 'application/json', ...reply?.headers })
    response.end(JSON.stringify(reply?.body))
  }
  const server = createServer((request, response) => void answer(request, response))
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { received, env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` }, port }
}

const completion = (message: object, finish_reason = 'stop'): Reply => ({
  body: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-4.1-mini',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
    usage: {
      prompt_tokens: 12,
      completion_tokens: 5,
      total_tokens: 17,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 3 },
    },
  },
})

const failure = (status: number, message: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: { error: { message, type: 'error', code: null } },
})

const add = createTool({
  name: 'add',
  description: 'Adds two numbers',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
})
const agent = createAgent({ id: 'helper', name: 'Helper', instructions: 'Be brief.', tools: [add] })
const ask = (options: Partial<TestCall>) => generate(agent, { prompt: 'Hello', production: true, ...options })

describe('over the chat-completions protocol', () => {
  test('a text', async () => {
    const { env, received } = await serve(completion({ content: 'Hello!' }))
    expect(await ask({ env })).toMatchObject({
      text: 'Hello!',
      object: undefined,
      finishReason: 'stop',
      model: { provider: 'openai', modelId: 'gpt-4.1-mini', origin: 'OPENAI_API_KEY' },
      usage: { inputTokens: 12, outputTokens: 5, totalTokens: 17, cachedInputTokens: 8, reasoningTokens: 3 },
      steps: [{ text: 'Hello!', finishReason: 'stop', toolCalls: [], toolResults: [] }],
      messages: [{ role: 'assistant', content: [{ type: 'text', text: 'Hello!' }] }],
    })
    expect(received).toMatchObject([
      {
        path: '/v1/chat/completions',
        headers: { authorization: `Bearer ${KEY}` },
        body: {
          model: 'gpt-4.1-mini',
          messages: [
            { role: 'system', content: 'Be brief.' },
            { role: 'user', content: 'Hello' },
          ],
          tools: [{ type: 'function', function: { name: 'add', description: 'Adds two numbers' } }],
        },
      },
    ])
  })

  test('a tool call and its result', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":2,"b":3}' } }
    const { env, received } = await serve(
      completion({ content: null, tool_calls: [call] }, 'tool_calls'),
      completion({ content: 'It is 5' }),
    )
    expect(await ask({ env })).toMatchObject({ text: 'It is 5', usage: { totalTokens: 34 } })
    expect(received[1]?.body['messages']).toMatchObject([
      {},
      {},
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: '{"sum":5}' },
    ])
  })

  test('a value with its schema, without strict mode, which supports only part of JSON Schema', async () => {
    const { env, received } = await serve(completion({ content: '{"day":"friday"}' }))
    expect(await ask({ env, schema: z.object({ day: z.string(), at: z.int().optional() }) })).toMatchObject({
      object: { day: 'friday' },
    })
    expect(received[0]?.body['response_format']).toMatchObject({
      type: 'json_schema',
      json_schema: { strict: false, schema: { type: 'object', required: ['day'] } },
    })
  })

  test('through OLLAMA_HOST, without a key', async () => {
    const { port, received } = await serve(completion({ content: 'Hello!' }))
    const { model } = await ask({ env: { OLLAMA_HOST: `0.0.0.0:${port}` } })
    expect(model).toEqual({ provider: 'ollama', modelId: 'llama3.2', origin: 'OLLAMA_HOST' })
    expect(received).toMatchObject([{ path: '/v1/chat/completions', body: { model: 'llama3.2' } }])
    expect(received[0]?.headers).toMatchObject({ host: `127.0.0.1:${port}` })
    expect(received[0]?.headers.authorization).toBeUndefined()
  })
})

describe('the body of a call', () => {
  const settings = {
    maxOutputTokens: 9,
    temperature: 0.5,
    topP: 0.9,
    topK: 4,
    seed: 7,
    stopSequences: ['END'],
  }
  const sent = async (modelId: string) => {
    const { env, received } = await serve(completion({ content: 'Hello!' }))
    await ask({ env: { ...env, AGENTSERVER_MODEL: `openai/${modelId}` }, settings })
    return received[0]?.body
  }

  test('has every setting', async () => {
    expect(await sent('llama-3.3')).toMatchObject({
      max_tokens: 9,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 4,
      seed: 7,
      stop: ['END'],
    })
  })

  test.each(['o4-mini', 'gpt-5', 'gpt-5.1-mini', 'openai/o3'])(
    'has no options that the reasoning model %s rejects',
    async (modelId) => {
      const body = await sent(modelId)
      expect(body).toMatchObject({ max_completion_tokens: 9, seed: 7 })
      for (const name of ['max_tokens', 'temperature', 'top_p', 'stop']) expect(body).not.toHaveProperty(name)
    },
  )

  test.each([
    ['https://api.openai.com/v1', 'gpt-4.1-mini', 'max_completion_tokens'],
    ['https://mine.openai.azure.com/openai/v1', 'gpt-4.1-mini', 'max_completion_tokens'],
    ['https://openai.com.example/v1', 'gpt-4.1-mini', 'max_tokens'],
    ['http://127.0.0.1:8000/v1', 'gpt-5-chat-latest', 'max_tokens'],
    ['http://127.0.0.1:8000/v1', 'gpt-oss-20b', 'max_tokens'],
  ])('limits the answer of %s at %s with %s', (baseUrl, modelId, name) => {
    expect(wireBody({ max_tokens: 5, temperature: 1 }, { modelId, isOpenAi: isOpenAi(baseUrl) })).toEqual({
      [name]: 5,
      temperature: 1,
    })
  })
})

describe('when the provider returns an error', () => {
  test('429 is retried', async () => {
    const { env, received } = await serve(
      failure(429, 'Slow down', { 'retry-after-ms': '1' }),
      completion({ content: 'Hello!' }),
    )
    expect((await ask({ env })).text).toBe('Hello!')
    expect(received.length).toBe(2)
  })

  test.each([
    [429, 'openai rejected the request: too many requests or quota exceeded (429): busy; try again in 20 s'],
    [503, 'openai failed (503): busy; try again in 20 s'],
  ])('%i three times is reported, with the time to retry', async (status, message) => {
    const { env, received } = await serve(
      failure(status, 'busy', { 'retry-after-ms': '1', 'retry-after': '20' }),
    )
    await expect(ask({ env })).rejects.toMatchObject({
      code: 'unavailable',
      message,
      headers: { 'Retry-After': '20' },
    })
    expect(received.length).toBe(3)
  })

  test.each([
    [
      401,
      'openai rejected the key in OPENAI_API_KEY (401): Wrong: [redacted], [redacted] and Bearer [redacted]',
    ],
    [
      403,
      'openai rejected the key in OPENAI_API_KEY (403): Wrong: [redacted], [redacted] and Bearer [redacted]',
    ],
    [
      404,
      'openai has no model "gpt-4.1-mini" (404): set another model in the agent, or AGENTSERVER_MODEL=provider/model',
    ],
    [400, 'openai rejected the request (400): Wrong: [redacted], [redacted] and Bearer [redacted]'],
  ])('%i is reported without a retry, and never with a key', async (status, message) => {
    const { env, received } = await serve(failure(status, `Wrong: ${KEY}, sk-abcdefghijk and Bearer abc.def`))
    const error: unknown = await ask({ env }).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'execution_failed', message })
    expect(received.length).toBe(1)
    expect(JSON.stringify([error, error instanceof Error && error.cause, String(error)])).not.toContain(KEY)
  })

  test('a missing Ollama model is reported with the command to download it', async () => {
    const { port } = await serve(failure(404, 'model not found'))
    await expect(ask({ env: { OLLAMA_HOST: `127.0.0.1:${port}` } })).rejects.toMatchObject({
      message: 'ollama has no model "llama3.2" (404): download it with `ollama pull llama3.2`',
    })
  })
})
