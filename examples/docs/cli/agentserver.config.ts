import { createAgent, createSchedule, createTool, createWorkflow, defineConfig } from 'agentserver'
import { z } from 'zod'
import { order } from './order.ts'

const lookupOrder = createTool({
  name: 'lookup-order',
  description: 'Looks up the status of an order',
  inputSchema: z.object({ orderId: z.string() }),
  execute: ({ orderId }) => ({ orderId, status: 'shipped' }),
})

const refund = createTool({
  name: 'refund',
  description: 'Refunds an order',
  inputSchema: z.object({ orderId: z.string(), amount: z.number() }),
  needsApproval: true,
  execute: ({ orderId, amount }) => ({ orderId, refunded: amount }),
})

const support = createAgent({
  id: 'support',
  name: 'Support',
  instructions: 'Answer questions about orders.',
  tools: [lookupOrder],
})

const payment = createWorkflow({ id: 'payment', inputSchema: z.object({ orderId: z.string() }) })
  .andWaitForEvent({ id: 'paid', event: 'payment', key: ({ input }) => input.orderId, timeout: '7d' })
  .andWaitForEvent({ id: 'imported', event: 'nightly-import-done', timeout: '1d' })

const sales = createWorkflow({ id: 'sales' }).andThen({ id: 'count', execute: () => ({ orders: 3 }) })

/** The project of the examples in docs/reference/cli.md. */
export default defineConfig({
  workflows: [order, payment, sales],
  agents: [support],
  tools: [lookupOrder, refund],
  schedules: [createSchedule({ id: 'report', cron: '0 9 * * 1', timezone: 'UTC', workflow: sales })],
})
