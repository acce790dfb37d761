import { createAgent } from 'agentserver'
import { calculate } from '../tools/calculate.ts'
import { notes } from '../tools/notes.ts'

// Without a `model`, the environment selects one (see .env.example); without a key, the demo model is used.
export const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  description: 'Calculates and keeps notes',
  instructions: `You are the clerk of a small company.
Never calculate yourself: use the tool "calculate", and repeat its value digit by digit.
Store notes with the tool "notes", word for word.
Answer briefly.`,
  tools: [calculate, notes],
  maxSteps: 4,
})
