import { createTool } from 'agentserver'
import { z } from 'zod'
import { addNote, findNotes } from '../notes/note-store.ts'

const Note = z.object({ text: z.string(), at: z.string() })

export const notes = createTool({
  name: 'notes',
  description: 'Adds notes, and finds notes that contain a text.',
  inputSchema: z.object({
    action: z.enum(['add', 'find']),
    text: z.string().max(1000).describe('The note to add, word for word, or the text to find'),
  }),
  outputSchema: z.object({
    notes: z.array(Note).describe('The added note, or the found notes, newest first'),
  }),
  execute: ({ action, text }) => ({
    notes: action === 'add' ? [addNote(text)] : findNotes(text),
  }),
})
