import { createAgent, createWorkflow } from 'agentserver'
import { z } from 'zod'

export const Ticket = z.object({
  category: z.enum(['billing', 'delivery', 'other']),
  urgent: z.boolean(),
  summary: z.string().describe('One sentence'),
})

export const classifier = createAgent({
  id: 'classifier',
  name: 'Classifier',
  instructions: 'Classify messages of customers.',
})

export const triage = createWorkflow({
  id: 'triage',
  name: 'Triage',
  inputSchema: z.object({ message: z.string() }),
})
  .andAgent({
    id: 'classify',
    agent: classifier,
    prompt: ({ data }) => data.message,
    schema: Ticket,
    retries: 2,
  })
  // `data` has the type of the schema
  .andThen({ id: 'route', execute: ({ data }) => ({ ...data, queue: data.urgent ? 'now' : data.category }) })
