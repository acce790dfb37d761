import { createTool } from 'agentserver'
import { z } from 'zod'

export const locate = createTool({
  name: 'locate',
  description: 'Returns the place of the user',
  inputSchema: z.object({ accuracy: z.enum(['low', 'high']) }),
  outputSchema: z.object({ latitude: z.number(), longitude: z.number() }),
})
