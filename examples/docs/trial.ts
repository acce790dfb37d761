import { createWorkflow } from 'agentserver'
import { z } from 'zod'

export const trial = createWorkflow({ id: 'trial', inputSchema: z.object({ email: z.email() }) })
  .andSleep({ id: 'trial-period', for: '14d' })
  .andThen({
    id: 'offer',
    suspendTimeout: '7d',
    resumeSchema: z.object({ plan: z.string() }),
    execute: ({ resumeData, timedOut, suspend }) => {
      if (timedOut) return { plan: 'free' }
      return resumeData ?? suspend('Waits for a plan')
    },
  })
