import { createAgent, createMcpServer, createTool, demoModel } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { connectClient } from '../support/clients/mcp-client.ts'
import { messagesOf } from '../support/server/event-stream.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const KNOWN = 'a value of the environment'
const SECRETS = [KNOWN, 'sk-live-0123456789abcdef', 'pa55w0rd-of-the-db', 'j50n-secret']
const MESSAGE = `charge refused for ${KNOWN} with sk-live-0123456789abcdef at postgres://shop:pa55w0rd-of-the-db@db/1, {"password":"j50n-secret"}`

/** What a tool throws: an error, a text, or an object without a message. */
const thrown: Record<string, unknown> = {
  error: new Error(MESSAGE),
  text: MESSAGE,
  object: { code: 'REFUSED', password: 'j50n-secret', detail: MESSAGE },
}
const charge = createTool({
  name: 'charge',
  description: 'Charges a card',
  inputSchema: z.object({ kind: z.enum(['error', 'text', 'object']) }),
  execute: ({ kind }): null => {
    throw thrown[kind]
  },
})
const askAgain = scriptedModel(
  [{ toolCalls: [{ toolName: 'charge', input: { kind: 'object' } }] }, { text: 'Refused' }],
  { repeatLast: true },
)
const shop = { name: 'Shop', instructions: 'Sell.', model: demoModel() }
const clerk = createAgent({ id: 'clerk', ...shop, tools: [charge] })
const manager = createAgent({ id: 'manager', ...shop, subAgents: [clerk] })
const guarded = createAgent({
  id: 'guarded',
  ...shop,
  tools: [charge],
  hooks: { onToolStart: () => Promise.reject(new Error(MESSAGE)) },
})
const scripted = createAgent({ id: 'scripted', ...shop, model: askAgain, tools: [charge] })
const agents = [clerk, manager, guarded, scripted]
const server = new TestServer({
  workflows: [],
  agents,
  mcpServers: [createMcpServer({ id: 'shop', name: 'Shop', version: '1', agents })],
})

beforeAll(() => vi.stubEnv('SHOP_API_KEY', KNOWN))
afterAll(async () => {
  await server.close()
  vi.unstubAllEnvs()
})

/** The secrets in a text that quotes the error. */
const secretsIn = (text: string) =>
  text.includes('charge refused') ? SECRETS.filter((secret) => text.includes(secret)) : ['no error']
const input = 'charge the card with an error'

describe('the error of a tool', () => {
  it.each(['error', 'text', 'object'])('has no secrets in the answer: a thrown %s', async (kind) => {
    const { text } = await dataOf<{ text: string }>(
      server.post('/agents/clerk/text', { input: `charge "${kind}"` }),
    )
    expect(secretsIn(text)).toEqual([])
    expect(text).toContain('[redacted]')
  })

  it('has no secrets in streams, put together from their parts', async () => {
    const parts = await messagesOf(server.post('/agents/clerk/stream', { input }))
    const text = parts.map(({ event }) => (event as { text?: string }).text ?? '').join('')
    expect(secretsIn(text)).toEqual([])
    expect(secretsIn(JSON.stringify(parts) + text)).toEqual([])
    const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: input }] }]
    const chunks = await messagesOf(server.post('/agents/clerk/chat', { id: 'c', messages }))
    expect(secretsIn(chunks.map(({ event }) => (event as { delta?: string }).delta ?? '').join(''))).toEqual(
      [],
    )
  })

  it('has no secrets when a sub-agent or a hook fails', async () => {
    for (const [agent, ask] of [
      ['manager', 'ask clerk to charge'],
      ['guarded', input],
    ]) {
      const { text } = await dataOf<{ text: string }>(
        server.post(`/agents/${agent}/text`, { input: ask ?? '' }),
      )
      expect(secretsIn(text)).toEqual([])
    }
  })

  it('has no secrets in the prompt of the next model call, nor in the history', async () => {
    const options = { conversationId: 'kept' }
    await dataOf(server.post('/agents/scripted/text', { input: 'x', options }))
    await dataOf(server.post('/agents/scripted/text', { input: 'y', options }))
    for (const { prompt } of askAgain.calls.slice(1)) expect(secretsIn(JSON.stringify(prompt))).toEqual([])
    for (const agent of ['scripted', 'clerk']) {
      const history = JSON.stringify(await dataOf(server.request(`/agents/${agent}/history`)))
      expect(SECRETS.filter((secret) => history.includes(secret))).toEqual([])
    }
  })

  it('has no secrets for clients of A2A and MCP', async () => {
    const { url } = await server.listen()
    const message = { messageId: 'm', role: 'user', kind: 'message', parts: [{ kind: 'text', text: input }] }
    const response = await server.post('/agents/clerk/a2a', {
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: { message },
    })
    expect(secretsIn(await response.text())).toEqual([])
    const client = await connectClient(`${url}/mcp/shop`)
    const answer = await client.callTool({ name: 'ask_clerk', arguments: { prompt: input } })
    await client.close()
    expect(secretsIn(JSON.stringify(answer))).toEqual([])
  })
})
