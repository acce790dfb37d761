import { createTool } from 'agentserver'
import { z } from 'zod'

export const askUser = createTool({
  name: 'ask-user',
  description: 'Asks the user one question',
  inputSchema: z.object({ question: z.string() }),
  execute: async ({ question }, { step }) => {
    const { answer } = await step.suspend('answer', {
      data: { question },
      resumeSchema: z.object({ answer: z.string() }),
    })
    return answer
  },
})
