import { createWorkflow, NonRetryableError } from 'agentserver'
import { z } from 'zod'
import { salesOf } from '../services/sales.ts'

/** Sums up the sales of the user's tenant. The tenant comes from the token, never from the input. */
export const salesReport = createWorkflow({
  id: 'sales-report',
  name: 'Sales report',
  purpose: "Sum up a month's sales of the user's tenant",
  inputSchema: z.object({ month: z.string().regex(/^\d{4}-\d\d$/) }),
  resultSchema: z.object({
    month: z.string(),
    tenantId: z.string(),
    sales: z.number(),
    cents: z.number(),
    madeFor: z.string(),
  }),
  examples: [{ month: '2026-10' }],
})
  .andThen({
    id: 'collect',
    purpose: 'Read the sales of the tenant',
    execute: ({ data, user }) => {
      // the operator has no token and therefore no tenant
      if (user?.tenantId === undefined) throw new NonRetryableError('The user has no tenant')
      const sales = salesOf(user.tenantId, data.month)
      return { ...data, tenantId: user.tenantId, amounts: sales.map(({ cents }) => cents) }
    },
  })
  .andThen({
    id: 'sum',
    purpose: 'Sum up the sales',
    execute: ({ data: { month, tenantId, amounts }, user }) => ({
      month,
      tenantId,
      sales: amounts.length,
      cents: amounts.reduce((sum, cents) => sum + cents, 0),
      madeFor: user?.email ?? user?.id ?? 'unknown',
    }),
  })
