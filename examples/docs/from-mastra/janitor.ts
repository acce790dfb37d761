import { createAgent, createTool } from 'agentserver'
import { z } from 'zod'

// #region agent
const deleteRecord = createTool({
  name: 'delete-record',
  description: 'Delete a record by ID',
  inputSchema: z.object({ id: z.string() }),
  outputSchema: z.object({ deleted: z.boolean() }),
  needsApproval: true,
  execute: ({ id }) => ({ deleted: records.delete(id) }),
})

export const janitor = createAgent({
  id: 'janitor',
  name: 'Janitor',
  instructions: 'Delete records that are named.',
  tools: [deleteRecord],
})
// #endregion

export const records = new Map([['abc-123', {}]])
