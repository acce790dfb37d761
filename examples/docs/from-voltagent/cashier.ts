import { createAgent, createTool } from 'agentserver'
import { z } from 'zod'

// #region agent
const processPayment = createTool({
  name: 'processPayment',
  description: 'Charge a customer',
  inputSchema: z.object({ cents: z.int(), customer: z.string() }),
  needsApproval: ({ cents }) => cents > 1000,
  execute: ({ cents, customer }) => charge(customer, cents),
})

export const cashier = createAgent({
  id: 'cashier',
  name: 'Cashier',
  instructions: 'Charge customers.',
  tools: [processPayment],
  memory: { lastMessages: 20 },
})
// #endregion

const charge = (customer: string, cents: number) => ({
  customer,
  cents,
})
