import { createMcpServer, defineConfig } from 'agentserver'
import { expense } from '../expense.ts'
import { lookupOrder } from '../lookup-order.ts'
import { support } from '../support.ts'

const desk = createMcpServer({
  id: 'desk',
  name: 'Order desk',
  version: '1.0.0',
  description: 'Looks up orders and reimburses expenses',
  tools: [lookupOrder],
  agents: [support],
  workflows: [expense],
})

export default defineConfig({ mcpServers: [desk] })
