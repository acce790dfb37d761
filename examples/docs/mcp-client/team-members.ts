import { createTool } from 'agentserver'
import { z } from 'zod'
import { handbook } from './handbook.ts'

export const teamMembers = createTool({
  name: 'team-members',
  description: 'Returns the members of a team',
  inputSchema: z.object({ team: z.enum(['sales', 'support']) }),
  execute: async ({ team }, context) => {
    const { contents } = await handbook.readResource(`handbook://teams/${team}`, context)
    return contents[0]?.text ?? ''
  },
})
