import { createAgent, defineConfig } from 'agentserver'

const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Answer in one sentence.',
  model: 'openai/gpt-4.1-mini',
})

export default defineConfig({
  agents: [clerk],
  prices: {
    // a negotiated price
    'openai/gpt-4.1-mini': { input: 0.3, cachedInput: 0.08, output: 1.2 },
    // a model on a machine of your own
    'ollama/llama3.2': { input: 0, output: 0 },
  },
})
