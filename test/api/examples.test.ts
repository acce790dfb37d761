import { createAgent, createMcpServer, createWorkflow, demoModel } from 'agentserver'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { resolveConfig } from '../../src/config/config.ts'
import { prepareConfig } from '../../src/server/prepare-config.ts'
import { connectClient } from '../support/clients/mcp-client.ts'
import { dataOf } from '../support/server/responses.ts'
import { TestServer } from '../support/server/test-server.ts'

const EXAMPLES = [
  { orderId: 'A-1', amount: 40 },
  { orderId: 'B-2', amount: 250 },
]
const inputSchema = z.object({ orderId: z.string(), amount: z.number() })
const order = createWorkflow({ id: 'order', inputSchema, examples: EXAMPLES }).andThen({
  id: 'charge',
  execute: ({ data }) => data,
})
const plain = createWorkflow({ id: 'plain', inputSchema }).andThen({
  id: 'charge',
  execute: ({ data }) => data,
})
const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Help',
  model: demoModel(),
  examples: ['Where is order A-1?'],
})

describe('examples', () => {
  const mcpServers = [createMcpServer({ id: 'shop', name: 'Shop', workflows: [order, plain] })]
  const server = new TestServer({ workflows: [order, plain], agents: [clerk], mcpServers })
  afterAll(() => server.close())

  it('of a workflow are those of its input schema, in the API and in MCP', async () => {
    const described = { type: 'object', examples: EXAMPLES }
    expect(await dataOf(server.request('/workflows/order'))).toMatchObject({ inputSchema: described })
    const { port } = await server.listen()
    const client = await connectClient(`http://127.0.0.1:${port}/mcp/shop/mcp`)
    const { tools } = await client.listTools()
    expect(tools.find(({ name }) => name === 'run_order')).toMatchObject({ inputSchema: described })
    expect(JSON.stringify(await dataOf(server.request('/workflows/plain')))).not.toContain('examples')
    await client.close()
  })

  it('of an agent are in its description and on its A2A card', async () => {
    expect(await dataOf(server.request('/agents/clerk'))).toMatchObject({ examples: ['Where is order A-1?'] })
    const card = await (await server.request('/agents/clerk/.well-known/agent-card.json')).json()
    expect(card).toMatchObject({
      skills: [{ id: 'clerk', tags: ['conversation'], examples: ['Where is order A-1?'] }],
    })
  })

  it.each([
    [[{ orderId: 'A-1' }], 'workflow "order": examples[0]: Input validation failed: input.amount: Required'],
    [[EXAMPLES[0], { orderId: 1, amount: 2 }], 'examples[1]: Input validation failed: input.orderId: '],
    [EXAMPLES[0], 'examples must be a list of inputs'],
    [Array.from({ length: 21 }, () => EXAMPLES[0]), 'examples has 21 inputs; at most 20'],
  ])(
    'that the workflow does not accept are refused when the configuration is loaded: %j',
    async (examples, problem) => {
      const wrong = createWorkflow({ id: 'order', inputSchema, examples: examples as never }).andThen({
        id: 'charge',
        execute: ({ data }) => data,
      })
      const load = async () => prepareConfig(resolveConfig({ workflows: [wrong] }, 'test'), false)
      await expect(load()).rejects.toThrow(problem)
    },
  )

  it('of an agent must be messages', () => {
    const wrong = createAgent({ id: 'a', name: 'A', instructions: 'x', examples: [' '] })
    expect(() => resolveConfig({ agents: [wrong] }, 'test')).toThrow(
      /examples must be a list of at most 20 messages/,
    )
  })
})
