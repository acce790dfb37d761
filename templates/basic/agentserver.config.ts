import { defineConfig } from 'agentserver'
import { support } from './src/agents/support.ts'
import { order } from './src/workflows/order.ts'
import { shipOrder } from './src/workflows/ship-order.ts'

export default defineConfig({
  agents: [support],
  workflows: [order, shipOrder],
})
