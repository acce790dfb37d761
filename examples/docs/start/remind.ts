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
    try {
      await reminder.start(data, { executionId: `${idempotencyKey}:reminder` })
    } catch (error) {
      // an earlier attempt has started it
      if ((error as { code?: string }).code !== 'conflict') throw error
    }
    return data
  },
})
