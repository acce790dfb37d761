import { createWorkflow } from 'agentserver'
import { z } from 'zod'

export const invoice = createWorkflow({
  id: 'invoice',
  name: 'Invoice',
  purpose: 'Send an invoice, wait for the payment, remind',
  inputSchema: z.object({ orderId: z.string(), cents: z.number().int() }),
})
  .andThen({ id: 'send', execute: ({ data }) => ({ ...data, sent: true }) })
  .andWaitForEvent({
    id: 'paid',
    event: 'payment',
    key: ({ data }) => data.orderId,
    schema: z.object({ cents: z.number().int() }),
    timeout: '14d',
    onTimeout: 'continue',
  })
  .andThen({ id: 'close', execute: ({ data }) => ({ paid: data !== undefined }) })

export const followUp = createWorkflow({
  id: 'follow-up',
  name: 'Follow up',
  purpose: 'Ask the customer a week later',
  inputSchema: z.object({ orderId: z.string() }),
})
  .andSleep({ id: 'a-week', for: '7d' })
  .andThen({ id: 'ask', execute: ({ data }) => ({ asked: data.orderId }) })
