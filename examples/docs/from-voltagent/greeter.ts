import { andThen, createAgent, createWorkflow } from 'agentserver'
import { z } from 'zod'

export const analyzer = createAgent({
  id: 'analyzer',
  name: 'Analyzer',
  instructions: 'You are a text analyzer.',
})

// #region chain
export const greeter = createWorkflow({
  id: 'greeter',
  inputSchema: z.object({ name: z.string() }),
  retries: { limit: 2, delayMs: 500 },
})
  .andThen({
    id: 'create-greeting',
    execute: ({ data }) => ({ greeting: `Hello, ${data.name}!` }),
  })
  .andAgent({
    id: 'sentiment',
    agent: analyzer,
    prompt: ({ data }) => `The sentiment of "${data.greeting}"?`,
    schema: z.object({ sentiment: z.string() }),
    map: ({ data, result }) => ({ ...data, ...result.object }),
  })
  .andWhen({
    id: 'if-long',
    condition: ({ data }) => data.greeting.length > 15,
    step: andThen({
      id: 'flag',
      execute: ({ data }) => ({ ...data, isLong: true }),
    }),
  })
  .andSleep({ id: 'pause', for: '500ms' })
// #endregion
