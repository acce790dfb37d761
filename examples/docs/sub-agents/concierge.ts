import { createAgent, createTool } from 'agentserver'
import { z } from 'zod'

const forecast = createTool({
  name: 'forecast',
  description: 'Weather forecast for a city',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, sky: 'clear', celsius: 21 }),
})

export const meteorologist = createAgent({
  id: 'meteorologist',
  name: 'Meteorologist',
  description: 'Answers questions about the weather',
  instructions: 'Answer questions about the weather. Always look the forecast up.',
  tools: [forecast],
})

export const guide = createAgent({
  id: 'guide',
  name: 'City guide',
  description: 'Knows museums, parks and restaurants',
  instructions: 'Suggest one place that fits the question.',
})

export const concierge = createAgent({
  id: 'concierge',
  name: 'Concierge',
  instructions: 'Plan a day out. Ask the meteorologist first, then the city guide.',
  subAgents: [meteorologist, guide],
})
