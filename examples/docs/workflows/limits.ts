import { andThen, createWorkflow } from 'agentserver'
import { z } from 'zod'

export const sync = createWorkflow(
  {
    id: 'sync',
    inputSchema: z.object({ customer: z.string(), urgent: z.boolean().default(false) }),
    concurrency: { limit: 2, key: ({ input }) => input.customer },
    rateLimit: { limit: 100, per: '1m' },
    priority: ({ input }) => (input.urgent ? 1 : 0),
  },
  andThen({ id: 'copy', execute: ({ data }) => ({ synced: data.customer }) }),
)
