import { createTool } from 'agentserver'
import { z } from 'zod'

export const refund = createTool({
  name: 'refund',
  description: 'Refunds an order. Amounts are in cents',
  inputSchema: z.object({ orderId: z.string(), cents: z.int().positive() }),
  outputSchema: z.object({ refundId: z.string(), cents: z.int() }),
  // large refunds require approval
  needsApproval: ({ cents }) => cents > 5000,
  execute: async ({ orderId, cents }, { signal, logger, userId }) => {
    signal.throwIfAborted()
    logger.info({ orderId, cents, userId }, 'Refund')
    return { refundId: `refund-${orderId}`, cents }
  },
})
