import { createAgent, createTool } from 'agentserver'
import { z } from 'zod'
import { askUser } from './ask-user.ts'

const refund = createTool({
  name: 'refund',
  description: 'Refunds an order. Amounts are in cents',
  inputSchema: z.object({ orderId: z.string(), cents: z.int().positive() }),
  // large refunds require approval
  needsApproval: ({ cents }) => cents > 5000,
  execute: ({ orderId, cents }) => ({ refundId: `refund-${orderId}`, cents }),
})

export const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Refund orders. Ask for what is missing.',
  tools: [refund, askUser],
  resumable: true,
})
