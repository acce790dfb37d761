import type { LanguageModelV3CallOptions } from '@ai-sdk/provider'
import { connectMcpServer, createAgent, createMcpServer, createTool } from 'agentserver'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { stubModelEnv } from '../../support/model/model-env.ts'
import { ModelProvider, completion } from '../../support/model/model-provider.ts'
import { scripted } from '../../support/model/scripted.ts'
import { dataOf } from '../../support/server/responses.ts'
import { TestServer } from '../../support/server/test-server.ts'

const PNG = Buffer.from('a picture of a cat, long enough to be recognised').toString('base64')
const WAV = Buffer.from('the sound of a cat').toString('base64')
const PDF = Buffer.from('the papers of a cat').toString('base64')
const inputSchema = { type: 'object' } as const
const content = [
  { type: 'text', text: 'A cat:' },
  { type: 'image', data: PNG, mimeType: 'image/png' },
  { type: 'audio', data: WAV, mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'cat://papers', mimeType: 'application/pdf', blob: PDF } },
  { type: 'resource', resource: { uri: 'cat://name', text: 'Tom' } },
  { type: 'resource_link', uri: 'https://example.com/cats', name: 'More cats' },
]
const show = createTool({
  name: 'show',
  description: 'Shows a cat',
  inputSchema,
  execute: () => ({ content }) as never,
})
const plain = createTool({ name: 'plain', description: 'Text', inputSchema, execute: () => 'a cat' })
const zoo = new TestServer({
  workflows: [],
  mcpServers: [createMcpServer({ id: 'zoo', name: 'Zoo', tools: [show, plain] })],
})
const provider = new ModelProvider()
let url = ''
beforeAll(async () => {
  url = (await zoo.listen()).url
  stubModelEnv(await provider.listen())
})
afterAll(async () => {
  await zoo.close()
  provider.close()
  vi.unstubAllEnvs()
})

const SDK_PARTS = [
  { type: 'text', text: 'A cat:' },
  { type: 'image-data', data: PNG, mediaType: 'image/png' },
  { type: 'file-data', data: WAV, mediaType: 'audio/wav' },
  { type: 'file-data', data: PDF, mediaType: 'application/pdf' },
  { type: 'text', text: 'Tom' },
  { type: 'text', text: 'More cats: https://example.com/cats' },
]
const placeholder = (kind: string, base64: string) =>
  `[${kind}, ${Buffer.from(base64, 'base64').length} bytes: not shown, since this model does not accept such files from tools]`
const instructions = 'Look.'

/** The output of the tool as the model of a provider receives it. */
async function outputFor(name: string, toolName = 'zoo_show') {
  const remote = connectMcpServer({ id: 'zoo', url: `${url}/mcp/zoo` })
  const model = scripted({ tool: toolName, input: {} }, 'Seen')
  const agent = createAgent({
    id: 'watcher',
    name: 'Watcher',
    instructions,
    tools: [remote, show],
    model: Object.assign(model, { provider: name }),
  })
  const server = new TestServer({ workflows: [], agents: [agent], mcpServers: [remote] })
  await dataOf(server.post('/agents/watcher/text', { input: 'x', options: { conversationId: 'c' } }))
  await dataOf(server.post('/agents/watcher/text', { input: 'again', options: { conversationId: 'c' } }))
  await server.close()
  return [model.calls[1], model.calls.at(-1)].map((call) => toolOutput(call))
}

function toolOutput(call: LanguageModelV3CallOptions | undefined) {
  const message = call?.prompt.find(({ role }) => role === 'tool')
  const [part] = message?.role === 'tool' ? message.content : []
  if (part?.type !== 'tool-result') return undefined
  return JSON.parse(JSON.stringify(part.output), imageAsSent) as unknown
}

/** AI SDK 7 gives models images as files. */
const imageAsSent = (_: string, value: { type?: string; mediaType?: string } | null) =>
  value?.type === 'file-data' && value.mediaType?.startsWith('image/')
    ? { ...value, type: 'image-data' }
    : value

describe('the content of an MCP tool', () => {
  it.each(['google.generative-ai', 'scripted'])('reaches a model of %s as content parts', async (name) => {
    const expected = { type: 'content', value: SDK_PARTS }
    expect(await outputFor(name)).toEqual([expected, expected])
  })

  it.each(['anthropic.messages', 'openai.responses'])('is complete but for sounds for %s', async (name) => {
    const value = SDK_PARTS.with(2, { type: 'text', text: placeholder('audio/wav', WAV) })
    expect(await outputFor(name)).toEqual([
      { type: 'content', value },
      { type: 'content', value },
    ])
  })

  it('has placeholders for files where the provider takes only text', async () => {
    const text = [
      'A cat:',
      placeholder('image/png', PNG),
      placeholder('audio/wav', WAV),
      placeholder('application/pdf', PDF),
      'Tom',
      'More cats: https://example.com/cats',
    ].join('\n')
    for (const output of await outputFor('groq.chat')) expect(output).toEqual({ type: 'text', value: text })
    provider.script(completion([{ id: 'c1', name: 'zoo_show', input: {} }]), completion('Seen'))
    const remote = connectMcpServer({ id: 'zoo', url: `${url}/mcp/zoo` })
    const agent = createAgent({ id: 'watcher', name: 'Watcher', instructions, tools: [remote] })
    const server = new TestServer({ workflows: [], agents: [agent], mcpServers: [remote] })
    await dataOf(server.post('/agents/watcher/text', { input: 'x' }))
    await server.close()
    expect(provider.shown().at(-1)).toMatchObject({ role: 'tool', content: text })
    expect(JSON.stringify(provider.calls.map(({ body }) => body))).not.toContain(PNG)
  })

  it('stays text when it is only text, and applies to tools of the project', async () => {
    expect(await outputFor('scripted', 'zoo_plain')).toEqual([
      { type: 'text', value: 'a cat' },
      { type: 'text', value: 'a cat' },
    ])
    expect((await outputFor('scripted', 'show'))[0]).toEqual({
      type: 'content',
      value: SDK_PARTS,
    })
  })

  it('is not base64 within JSON when a page sends it back', async () => {
    const agent = createAgent({ id: 'watcher', name: 'Watcher', instructions, memory: false })
    const server = new TestServer({ workflows: [], agents: [agent] })
    provider.script(completion('Seen'))
    const part = {
      type: 'tool-zoo_show',
      toolCallId: 'c1',
      state: 'output-available',
      input: {},
      output: { content },
    }
    const input = [
      { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Show' }] },
      { id: 'm2', role: 'assistant', parts: [part] },
      { id: 'm3', role: 'user', parts: [{ type: 'text', text: 'Which?' }] },
    ]
    await dataOf(server.post('/agents/watcher/text', { input }))
    await server.close()
    const sent = JSON.stringify(provider.calls.at(-1)?.body)
    expect(sent).toContain('A cat:')
    expect(sent).not.toContain(PNG)
  })
})
