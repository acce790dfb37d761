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
  instructions: 'Plan train journeys. Look trains up, never guess. Answer in three sentences or fewer.',
  tools: [findTrains],
})
