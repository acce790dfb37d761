import { createTool } from 'agentserver'
import { z } from 'zod'
import { removeNote } from '../notes/note-store.ts'

export const deleteNote = createTool({
  name: 'deleteNote',
  description: 'Deletes a note.',
  inputSchema: z.object({ text: z.string().max(1000).describe('The whole note, word for word') }),
  outputSchema: z.object({ deleted: z.boolean().describe('Whether there was such a note') }),
  // The answer waits until a person approves or denies the call, or edits the text.
  needsApproval: true,
  execute: ({ text }) => ({ deleted: removeNote(text) }),
})
