import { createMcpServer, createWorkflow, demoModel, createAgent, andThen } from 'agentserver'
import { expect, it } from 'vitest'
import { servedTools } from '../../../src/mcp/served/served-tools.ts'

it('the tools of an MCP server are made once, not for each request', () => {
  const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'Be brief.', model: demoModel() })
  const step = andThen({ id: 'approve', execute: ({ suspend }) => suspend() })
  const order = createWorkflow({ id: 'order', name: 'Order' }, step)
  const config = { id: 'shop', name: 'Shop', agents: [clerk], workflows: [order] }
  const shop = createMcpServer(config)
  const tools = servedTools(shop)
  expect(tools.map(({ name }) => name)).toEqual(['ask_clerk', 'run_order', 'resume_order'])
  expect(servedTools(shop)).toBe(tools)
  // a reload makes another server
  expect(servedTools(createMcpServer(config))).not.toBe(tools)
})
