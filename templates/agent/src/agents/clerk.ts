import { createAgent } from 'agentserver'
import { calculate } from '../tools/calculate.ts'
import { notes } from '../tools/notes.ts'

// Without a `model` the environment decides (see .env.example); without a key the demo model answers.
export const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  description: 'Works out sums and keeps notes',
  instructions: `You are the clerk of a small company.
Never work out a sum yourself: use the tool "calculate", and repeat its value digit by digit.
What you are asked to keep goes into the tool "notes", word for word.
Answer briefly.`,
  tools: [calculate, notes],
  maxSteps: 4,
})
