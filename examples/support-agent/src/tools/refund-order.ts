import { createTool } from 'agentserver'
import { z } from 'zod'
import { orders, refund } from '../services/orders.ts'

/** Larger refunds need a person's approval. */
const APPROVAL_LIMIT_CENTS = 5000

export const refundOrder = createTool({
  name: 'refund-order',
  description: 'Refunds an order in full, when the customer asks for their money back',
  inputSchema: z.object({ orderId: z.string().regex(/^A-\d{4}$/), reason: z.string().min(1).max(200) }),
  outputSchema: z.object({ orderId: z.string(), refundedCents: z.int() }),
  // An answer that calls the tool waits for a person while this is true.
  needsApproval: ({ orderId }) => (orders.get(orderId)?.totalCents ?? 0) > APPROVAL_LIMIT_CENTS,
  execute: ({ orderId, reason }, { logger, userId }) => {
    const refundedCents = refund(orderId)
    logger.info({ orderId, refundedCents, reason, userId }, 'order refunded')
    return { orderId, refundedCents }
  },
})
