import { createWorkflow } from 'agentserver'
import { z } from 'zod'
import { support } from './support.ts'

export const reply = createWorkflow({ id: 'reply', inputSchema: z.object({ question: z.string() }) })
  .andAgent({ id: 'answer', agent: support, prompt: ({ data }) => data.question })
  .andThen({ id: 'mail', execute: ({ data }) => ({ subject: 'Your order', body: data.text }) })
