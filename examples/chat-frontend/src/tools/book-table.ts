import { createTool } from 'agentserver'
import { z } from 'zod'

export const bookTable = createTool({
  name: 'bookTable',
  description: 'Books a table at a restaurant',
  inputSchema: z.object({
    restaurant: z.string().min(1).max(100),
    people: z.int().min(1).max(20).describe('Number of people'),
  }),
  outputSchema: z.object({ booked: z.string() }),
  // The page shows the arguments, which the user can edit, approve or deny.
  needsApproval: true,
  // Simulated: call a booking service here.
  execute: ({ restaurant, people }) => ({ booked: `A table for ${people} at ${restaurant}` }),
})
