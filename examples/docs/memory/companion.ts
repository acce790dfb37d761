import { createAgent } from 'agentserver'
import { z } from 'zod'

/** Remembers conversations, and what it has learned about each user. */
export const companion = createAgent({
  id: 'companion',
  name: 'Companion',
  instructions: 'Answer briefly, and in the language that the user prefers.',
  memory: {
    lastMessages: 20,
    summary: true,
    workingMemory: z.object({
      name: z.string().optional(),
      language: z.string().optional(),
      interests: z.array(z.string()).max(20).optional(),
    }),
  },
})
