import { createAgent, maxLength, redactPatterns } from 'agentserver'
import { bookTable } from '../tools/book-table.ts'
import { locate } from '../tools/locate.ts'
import { weather } from '../tools/weather.ts'

// No model is set: it comes from the environment (see .env.example), or is the built-in demo model.
export const guide = createAgent({
  id: 'guide',
  name: 'Guide',
  description: 'Helps to plan a day out',
  instructions: 'You help people plan a day out. Look the weather up before you suggest anything. Be brief.',
  tools: [weather, bookTable, locate],
  // Answers continue when the page is closed or loaded again.
  resumable: true,
  guardrails: { input: [maxLength(2000)], output: [redactPatterns(['card', 'email'])] },
})
