import { defineConfig } from 'agentserver'
import { payment } from './payment.ts'

const charges = new Map<string, unknown>()

export default defineConfig({
  workflows: [payment],
  configureApp: (app) => {
    // a stand-in for the provider: it charges each key once, and loses its first response
    app.post('/charges', async (c) => {
      const key = c.req.header('Idempotency-Key') ?? ''
      if (charges.has(key)) return c.body(null, 204)
      charges.set(key, await c.req.json())
      return c.body(null, 503)
    })
  },
})
