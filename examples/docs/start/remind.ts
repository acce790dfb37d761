import { createWorkflow } from 'agentserver'
import { z } from 'zod'

const employee = z.object({ employee: z.string() })

export const reminder = createWorkflow({ id: 'reminder', inputSchema: employee }).andThen({
  id: 'send',
  execute: ({ data }) => ({ reminded: data.employee }),
})

export const onboarding = createWorkflow({ id: 'onboarding', inputSchema: employee }).andThen({
  id: 'remind',
  execute: async ({ data, idempotencyKey }) => {
    // an earlier attempt may have started it
    await reminder.start(data, { executionId: `code:${idempotencyKey}:reminder`, ifExists: 'same' })
    return data
  },
})
