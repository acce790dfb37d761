import { createWorkflow } from 'agentserver'
import { z } from 'zod'

// #region mail
export const mail = createWorkflow({
  id: 'mail',
  inputSchema: z.object({ userEmail: z.email() }),
}).andThen({
  id: 'send',
  resumeSchema: z.object({ approved: z.literal(true) }),
  suspendTimeout: '3d',
  execute: ({ data, resumeData, suspend, timedOut }) => {
    if (timedOut) return { output: 'Nobody has approved' }
    if (!resumeData) return suspend('Approve the mail')
    return { output: `Mail sent to ${data.userEmail}` }
  },
})
// #endregion
