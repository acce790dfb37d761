import { createAgent } from 'agentserver'

// Without a `model`, the environment selects one (see .env.example); without a key, the demo model is used.
export const support = createAgent({
  id: 'support',
  name: 'Support',
  description: 'Writes to customers about their orders',
  instructions:
    'You write to customers of a small shop. Two or three plain, friendly sentences. No promises.',
  // The console offers these messages to begin with.
  examples: [
    'Write to Ada that her two mugs were shipped with Swift',
    'Write to Grace that the standing desk is out of production',
  ],
})
