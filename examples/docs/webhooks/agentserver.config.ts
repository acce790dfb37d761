import { createHmac, timingSafeEqual } from 'node:crypto'
import { createWorkflow, defineConfig } from 'agentserver'
import { z } from 'zod'

const payment = z.object({ id: z.string(), orderId: z.string(), cents: z.number() })

export const fulfil = createWorkflow({ id: 'fulfil', inputSchema: payment })
  .andThen({ id: 'reserve', execute: ({ data }) => ({ orderId: data.orderId, reserved: true }) })
  .andThen({ id: 'ship', retries: 3, execute: ({ data }) => ({ ...data, shipped: true }) })

export default defineConfig({
  workflows: [fulfil],
  configureApp: (app) => {
    app.post('/webhooks/payments', async (c) => {
      const body = await c.req.text()
      if (!isSigned(body, c.req.header('x-signature'))) return c.json({ error: 'Invalid signature' }, 401)
      const event = payment.parse(JSON.parse(body))
      // the sender repeats an event whose response it did not receive: the first delivery has started it
      await fulfil.start(event, { executionId: `code:payment:${event.id}`, ifExists: 'same' })
      return c.body(null, 202)
    })
  },
})

/** Whether the sender has signed the body with the secret that it shares with you. */
function isSigned(body: string, signature = ''): boolean {
  const secret = process.env['WEBHOOK_SECRET']
  if (!secret) return false
  const expected = createHmac('sha256', secret).update(body).digest()
  const given = Buffer.from(signature, 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
