import { createAgent } from 'agentserver'

// No model is named here: the environment decides (see .env.example), and without one the demo model answers.
export const support = createAgent({
  id: 'support',
  name: 'Support',
  description: 'Writes to customers about their orders',
  instructions:
    'You write to customers of a small shop. Two or three plain, friendly sentences. No promises.',
})
