import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../../../src/agent/create-agent.ts'
import { createTool } from '../../../../src/agent/tools/create-tool.ts'
import { generate, streamAnswer, type TestCall } from '../../../support/model/generate.ts'

const KEY = 'sk-ant-local-0123456789'

/** The next response of the local server: JSON, or server-sent events. */
interface Reply {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body?: unknown
  readonly events?: readonly { readonly type?: string }[]
}

const received: { path: string; headers: IncomingMessage['headers']; body: Record<string, unknown> }[] = []
let replies: Reply[] = []
let server: Server
let projectDir = ''
let url = ''

async function answer(request: IncomingMessage, response: ServerResponse) {
  const body = (await json(request)) as Record<string, unknown>
  received.push({ path: request.url ?? '', headers: request.headers, body })
  const { status = 200, headers, body: told, events } = replies[received.length - 1] ?? {}
  const type = events ? 'text/event-stream' : 'application/json'
  response.writeHead(status, { 'content-type': type, ...headers })
  const lines = events?.map(
    (event) => `event: ${event.type ?? 'message'}\ndata: ${JSON.stringify(event)}\n\n`,
  )
  response.end(lines ? lines.join('') : JSON.stringify(told))
}

beforeAll(async () => {
  projectDir = await mkdtemp(join(tmpdir(), 'providers-'))
  await mkdir(join(projectDir, 'node_modules/@ai-sdk'), { recursive: true })
  for (const name of ['@ai-sdk/anthropic', '@ai-sdk/google']) {
    const installed = fileURLToPath(new URL(`../../../../node_modules/${name}`, import.meta.url))
    await symlink(installed, join(projectDir, 'node_modules', name), 'junction')
  }
  server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
})
afterAll(async () => {
  server.close().closeAllConnections()
  await rm(projectDir, { recursive: true })
})

const script = (...next: Reply[]) => {
  replies = next
  received.length = 0
}
const add = createTool({
  name: 'add',
  description: 'Adds two numbers',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
})
const agent = createAgent({ id: 'helper', name: 'Helper', instructions: 'Be brief.', tools: [add] })
const anthropic = (more: Partial<TestCall> = {}): TestCall => {
  const env = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }
  return { prompt: '2 and 3?', production: true, projectDir, env, ...more }
}
const usage = { input_tokens: 12, output_tokens: 5 }
const message = (content: object[], stop_reason = 'end_turn'): Reply => ({
  body: {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    model: 'claude-haiku-4-5',
    content,
    stop_reason,
    stop_sequence: null,
    usage,
  },
})

describe('with the Anthropic package', () => {
  test('a text uses the provider’s protocol, with tools and settings', async () => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 2, b: 3 } }
    script(message([call], 'tool_use'), message([{ type: 'text', text: 'It is 5' }]))
    const settings = { temperature: 0.5, maxOutputTokens: 77, topK: 4, stopSequences: ['END'] }
    expect(await generate(agent, anthropic({ settings }))).toMatchObject({
      text: 'It is 5',
      usage: { inputTokens: 24, outputTokens: 10, totalTokens: 34 },
      model: { provider: 'anthropic', modelId: 'claude-haiku-4-5', origin: 'ANTHROPIC_API_KEY' },
      steps: [{ toolResults: [{ output: { sum: 5 } }] }, { text: 'It is 5' }],
    })
    expect(received).toMatchObject([
      {
        path: '/v1/messages',
        headers: { 'x-api-key': KEY },
        body: {
          model: 'claude-haiku-4-5',
          system: [{ type: 'text', text: 'Be brief.' }],
          tools: [{ name: 'add' }],
          temperature: 0.5,
          max_tokens: 77,
          top_k: 4,
          stop_sequences: ['END'],
        },
      },
      {
        body: {
          messages: [
            { role: 'user' },
            { role: 'assistant' },
            { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
          ],
        },
      },
    ])
  })

  test('a stream arrives in pieces', async () => {
    const delta = (text: string) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text },
    })
    script({
      events: [
        {
          type: 'message_start',
          message: {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            model: 'claude-haiku-4-5',
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage,
          },
        } as object,
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as object,
        delta('It is'),
        delta(' 5'),
        { type: 'content_block_stop', index: 0 } as object,
        {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn', stop_sequence: null },
          usage: { output_tokens: 5 },
        } as object,
        { type: 'message_stop' },
      ],
    })
    const stream = await streamAnswer(agent, anthropic())
    const texts: string[] = []
    for await (const part of stream.parts()) if (part.type === 'text-delta') texts.push(part.text)
    expect(texts).toEqual(['It is', ' 5'])
    expect(await stream.end()).toMatchObject({ text: 'It is 5', usage: { totalTokens: 17 } })
    expect(received[0]?.body).toMatchObject({ stream: true })
  })

  test.each([
    [401, 'anthropic rejected the key in ANTHROPIC_API_KEY (401): Bad [redacted]'],
    [404, 'anthropic has no model "claude-haiku-4-5" (404): set another model'],
  ])('an error (%i) has no key', async (status, text) => {
    script({ status, body: { type: 'error', error: { type: 'x', message: `Bad ${KEY}` } } })
    const error: unknown = await generate(agent, anthropic()).catch((error: unknown) => error)
    expect(error).toMatchObject({
      code: 'execution_failed',
      message: expect.stringContaining(text) as string,
    })
    expect(JSON.stringify([error, String(error)])).not.toContain(KEY)
  })

  test('an overloaded provider (529) is retried, then reported with a time', async () => {
    const busy = {
      status: 529,
      headers: { 'retry-after-ms': '1', 'retry-after': '7' },
      body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    }
    script(busy, busy, busy)
    await expect(generate(agent, anthropic())).rejects.toThrow(
      'anthropic failed (529): Overloaded; try again in 7 s',
    )
    expect(received).toHaveLength(3)
  })
})

test('with the Google package a text uses the provider’s protocol', async () => {
  script({
    body: {
      candidates: [{ content: { role: 'model', parts: [{ text: 'It is 5' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 5, totalTokenCount: 17 },
    },
  })
  const env = { GOOGLE_GENERATIVE_AI_API_KEY: KEY, GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta` }
  expect(await generate(agent, anthropic({ env }))).toMatchObject({
    text: 'It is 5',
    usage: { totalTokens: 17 },
    model: { provider: 'google', modelId: 'gemini-2.5-flash' },
  })
  expect(received).toMatchObject([
    { path: '/v1beta/models/gemini-2.5-flash:generateContent', headers: { 'x-goog-api-key': KEY } },
  ])
})
