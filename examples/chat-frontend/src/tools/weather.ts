import { createTool } from 'agentserver'
import { z } from 'zod'

const forecasts = ['sunny', 'cloudy', 'rain'] as const

export const weather = createTool({
  name: 'weather',
  description: 'Weather forecast for a city today',
  inputSchema: z.object({ city: z.string().min(1).describe('Name of the city, such as Berlin') }),
  outputSchema: z.object({ city: z.string(), forecast: z.enum(forecasts), celsius: z.int() }),
  // Simulated: the forecast depends on the length of the name. Call a weather API here.
  execute: ({ city }) => ({
    city,
    forecast: forecasts[city.length % forecasts.length] ?? 'sunny',
    celsius: 12 + (city.length % 10),
  }),
})
