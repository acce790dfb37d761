import { createWorkflow } from 'agentserver'
import { z } from 'zod'

export const greet = createWorkflow({ id: 'greet', inputSchema: z.object({ name: z.string() }) })
  .andThen({ id: 'trim', execute: ({ data }) => data.name.trim() })
  .andThen({ id: 'write', execute: ({ data }) => ({ text: `Hello, ${data}!` }) })
