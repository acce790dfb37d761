import { createWorkflow } from 'agentserver'
import { z } from 'zod'

// #region workflow
export const approval = createWorkflow({
  id: 'approval',
  inputSchema: z.object({ item: z.string() }),
}).andThen({
  id: 'wait',
  resumeSchema: z.object({ approved: z.boolean() }),
  execute: ({ data, suspend, resumeData }) =>
    resumeData
      ? { approved: resumeData.approved }
      : suspend('Waiting for approval', { item: data.item }),
})
// #endregion
