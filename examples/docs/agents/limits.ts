import { createAgent } from 'agentserver'

export const adviser = createAgent({
  id: 'adviser',
  name: 'Travel adviser',
  description: 'Answers questions about journeys',
  instructions: 'Answer in three sentences or fewer.',
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
      context.logger.info({ tokens: result?.usage.totalTokens }, 'Answered')
    },
  },
})
