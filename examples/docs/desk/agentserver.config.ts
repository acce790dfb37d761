import { connectMcpServer, createAgent, createMcpServer, defineConfig } from 'agentserver'
import { expense } from '../agentserver.config.ts'
import { lookupOrder } from '../lookup-order.ts'

const files = connectMcpServer({ id: 'files', command: 'npx', args: ['-y', 'some-file-server', '/srv/docs'] })
const crm = connectMcpServer({
  id: 'crm',
  url: 'https://crm.example/mcp',
  headers: { Authorization: `Bearer ${process.env['CRM_TOKEN'] ?? ''}` },
})

const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Answer questions about orders.',
  tools: [lookupOrder, files],
})

const desk = createMcpServer({
  id: 'desk',
  name: 'Order desk',
  version: '1.0.0',
  description: 'Looks up orders and pays back expenses',
  tools: [lookupOrder],
  agents: [clerk],
  workflows: [expense],
})

export default defineConfig({ agents: [clerk], mcpServers: [desk, files, crm] })
