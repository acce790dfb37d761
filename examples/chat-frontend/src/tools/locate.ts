import { createTool } from 'agentserver'
import { z } from 'zod'

/** Without `execute` the page executes it: see `onToolCall` in web/chat.tsx. */
export const locate = createTool({
  name: 'locate',
  description: 'Locates the user',
  inputSchema: z.object({}),
  outputSchema: z.object({ latitude: z.number(), longitude: z.number() }),
})
