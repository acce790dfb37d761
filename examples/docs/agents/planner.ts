import { createAgent, createTool } from 'agentserver'
import { z } from 'zod'

const findTrains = createTool({
  name: 'find-trains',
  description: 'Finds trains between two cities on a day',
  inputSchema: z.object({ from: z.string(), to: z.string(), day: z.iso.date() }),
  execute: ({ from, to, day }) => [{ from, to, departure: `${day}T09:04`, euros: 49 }],
})

export const planner = createAgent({
  id: 'planner',
  name: 'Travel planner',
  description: 'Plans train journeys',
  instructions: 'Plan train journeys. Look trains up, never guess. Answer in three sentences or fewer.',
  tools: [findTrains],
  maxSteps: 4,
  timeoutMs: 60_000,
  hooks: {
    onStart: ({ prompt }) => {
      if (prompt.length > 2000) throw new Error('The question is too long')
    },
    onToolEnd: ({ toolName, error, context }) => {
      if (error !== undefined) context.logger.warn({ toolName }, 'A tool failed')
    },
    onEnd: ({ result, context }) => {
      context.logger.info({ tokens: result?.usage.totalTokens }, 'Plan finished')
    },
  },
})
