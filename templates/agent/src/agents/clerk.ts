import { createAgent, maxLength, redactPatterns } from 'agentserver'
import { z } from 'zod'
import { calculate } from '../tools/calculate.ts'
import { deleteNote } from '../tools/delete-note.ts'
import { notes } from '../tools/notes.ts'

/** What the clerk remembers about each user, over all conversations. */
const UserFacts = z.object({
  name: z.string().max(100).optional().describe('How the user wants to be called'),
  currency: z.string().max(10).optional().describe('The currency of amounts without one, such as EUR'),
})

// Without a `model`, the environment selects one (see .env.example); without a key, the demo model is used.
export const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  description: 'Calculates and keeps notes',
  instructions: `You are the clerk of a small company.
Never calculate a sum, a total or a price yourself: use the tool "calculate", and repeat its value digit by digit.
Store notes with the tool "notes", word for word, and delete them with "deleteNote".
Answer briefly.`,
  tools: [calculate, notes, deleteNote],
  // The console offers these messages to begin with.
  examples: [
    'How much are 3 chairs at 49.90?',
    'Note that the chairs come on Friday',
    'Which notes are there?',
  ],
  // Payment card numbers never reach the model, the notes, the history or the caller.
  guardrails: { input: [maxLength(4000), redactPatterns(['card'])], output: [redactPatterns(['card'])] },
  memory: { workingMemory: UserFacts },
  maxSteps: 4,
})
