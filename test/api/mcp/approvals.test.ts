import type { Client } from '@modelcontextprotocol/client'
import { createAgent, createMcpServer, createTool } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { connectClient } from '../../support/clients/mcp-client.ts'
import { listening } from '../../support/server/listening.ts'
import { dataOf } from '../../support/server/responses.ts'
import { TestServer } from '../../support/server/test-server.ts'

const executed: unknown[] = []
const refund = createTool({
  name: 'refund',
  description: 'Refunds',
  inputSchema: z.object({ cents: z.number().max(10_000), note: z.string().optional() }),
  needsApproval: ({ cents }) => cents > 100,
  execute: (input) => {
    executed.push(input)
    return { refunded: input.cents }
  },
})
const order = createTool({
  name: 'order',
  description: 'Orders',
  inputSchema: z.object({ lines: z.array(z.object({ sku: z.string() })) }),
  needsApproval: true,
  execute: (input) => {
    executed.push(input)
    return { ordered: true }
  },
})
const locate = createTool({ name: 'locate', description: 'Of the client', inputSchema: z.object({}) })
const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'x',
  tools: [refund],
  model: scriptedModel(
    [
      ({ prompt }) =>
        prompt.at(-1)?.role === 'tool'
          ? `Result: ${JSON.stringify(prompt.at(-1)?.content)}`
          : { toolCalls: [{ toolName: 'refund', input: { cents: 900 } }] },
    ],
    { repeatLast: true },
  ),
})
const desk = createMcpServer({ id: 'desk', name: 'Desk', tools: [refund, order, locate], agents: [clerk] })
const server = new TestServer({ agents: [clerk], mcpServers: [desk] })
const at = listening(server)

const clients: Client[] = []
afterEach(async () => {
  executed.length = 0
  await Promise.all(clients.splice(0).map((client) => client.close()))
})

interface Form {
  readonly message: string
  readonly requestedSchema: { readonly properties: Readonly<Record<string, object>> }
}

/** A client whose user answers forms with these answers in turn; without answers it can't show forms. */
async function clientThat(mode: 'legacy' | 'auto', answers?: object[]) {
  const capabilities = answers ? { elicitation: {} } : {}
  const client = await connectClient(at('/mcp/desk'), { mode, capabilities })
  clients.push(client)
  const forms: Form[] = []
  if (answers)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      forms.push(params as unknown as Form)
      return (answers.shift() ?? { action: 'cancel' }) as { action: 'cancel' }
    })
  const call = (name: string, input: Record<string, unknown>) => client.callTool({ name, arguments: input })
  return { client, forms, call }
}

const accept = (content: object) => ({ action: 'accept', content })
const suspended = () => dataOf<object[]>(server.request('/agents/clerk/history?status=suspended'))

describe.each(['legacy', 'auto'] as const)('a tool that needs approval, of an MCP client (%s)', (mode) => {
  it('is executed when its user approves, with the edited arguments', async () => {
    const { call, forms } = await clientThat(mode, [accept({ approved: true, cents: 200 })])
    const result = await call('refund', { cents: 900, note: 'late' })
    expect(result.structuredContent).toEqual({ refunded: 200 })
    expect(executed).toEqual([{ cents: 200, note: 'late' }])
    expect(forms).toMatchObject([
      {
        message: 'Approve the call of refund?\n\n{\n  "cents": 900,\n  "note": "late"\n}',
        requestedSchema: {
          properties: { approved: { type: 'boolean' }, cents: { type: 'number', default: 900 } },
          required: ['approved'],
        },
      },
    ])
  })

  it('is a question without fields when its arguments fit no form', async () => {
    const { call, forms } = await clientThat(mode, [accept({ approved: true })])
    await call('order', { lines: [{ sku: 'A' }] })
    expect(executed).toEqual([{ lines: [{ sku: 'A' }] }])
    expect(Object.keys(forms[0]?.requestedSchema.properties ?? {})).toEqual(['approved'])
  })

  it.each([
    ['does not approve', accept({ approved: false }), /was denied/],
    ['declines the form', { action: 'decline' }, /was denied/],
    ['edits the arguments against the schema', accept({ approved: true, cents: 20_000 }), /cents/],
  ])('is not executed when its user %s', async (_, answer, reason) => {
    const { call } = await clientThat(mode, [answer])
    const { isError, content } = await call('refund', { cents: 900 })
    expect(isError).toBe(true)
    expect(JSON.stringify(content)).toMatch(reason)
    expect(executed).toEqual([])
  })

  it('requests no approval for calls that need none', async () => {
    const { call, forms } = await clientThat(mode, [])
    expect((await call('refund', { cents: 50 })).structuredContent).toEqual({ refunded: 50 })
    expect(forms).toEqual([])
  })

  it.each([
    ['approves', accept({ approved: true, cents: 300 }), /300/],
    ['declines', { action: 'decline' }, /Result/],
    ['edits against the schema', accept({ approved: true, cents: 20_000 }), /Result/],
  ])('of an agent is decided by its user, who %s', async (_, answer, text) => {
    const { call, forms } = await clientThat(mode, [answer])
    const { content, isError } = await call('ask_clerk', { prompt: 'Refund it' })
    expect(isError ?? false).toBe(false)
    expect(JSON.stringify(content)).toMatch(text)
    expect(forms).toHaveLength(1)
    expect(executed).toEqual(text.source === '300' ? [{ cents: 300 }] : [])
    expect(await suspended()).toEqual([])
  })

  it('is refused for a client that shows no forms, also within an agent', async () => {
    const { call } = await clientThat(mode)
    expect(JSON.stringify((await call('refund', { cents: 900 })).content)).toContain('needs approval')
    expect(JSON.stringify((await call('ask_clerk', { prompt: 'Refund it' })).content)).toContain('Result')
    expect(executed).toEqual([])
    expect(await suspended()).toEqual([])
  })

  it('is not listed when a chat client executes it', async () => {
    const { client } = await clientThat(mode)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['refund', 'order', 'ask_clerk'])
  })
})
