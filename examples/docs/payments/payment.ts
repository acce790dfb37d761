import { andThen, createWorkflow, NonRetryableError } from 'agentserver'
import { z } from 'zod'

const provider = process.env['PAYMENTS_URL'] ?? 'http://127.0.0.1:3141'

export const payment = createWorkflow(
  {
    id: 'payment',
    inputSchema: z.object({ orderId: z.string(), cents: z.int().positive() }),
  },
  andThen({
    id: 'pay',
    retries: { limit: 5, delayMs: 200 },
    timeoutMs: 10_000,
    execute: async ({ data, idempotencyKey, signal }) => {
      const response = await fetch(`${provider}/charges`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey },
        body: JSON.stringify({ cents: data.cents }),
        signal,
      })
      if (response.status === 402) throw new NonRetryableError('The card was declined')
      if (!response.ok) throw new Error(`The payment provider responded with ${response.status}`)
      return { ...data, paid: true }
    },
  }),
)
