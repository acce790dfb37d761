import { createTool } from 'agentserver'
import { z } from 'zod'

export const lookupOrder = createTool({
  name: 'lookup-order',
  description: 'Looks up the status of an order',
  inputSchema: z.object({ orderId: z.string() }),
  outputSchema: z.object({ status: z.string(), mayChange: z.boolean() }),
  execute: ({ orderId }, { user }) => ({
    status: `${orderId} is on its way`,
    mayChange: user?.role === 'clerk',
  }),
})
