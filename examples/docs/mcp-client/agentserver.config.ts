import { connectMcpServer, createAgent, defineConfig } from 'agentserver'
import { handbook } from './handbook.ts'
import { teamMembers } from './team-members.ts'

/** A program on this machine that speaks MCP on standard input and output. */
const files = connectMcpServer({
  id: 'files',
  command: 'npx',
  args: ['-y', '@modelcontextprotocol/server-filesystem', '.'],
})

const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Answer questions about the house rules.',
  tools: [handbook],
})

export default defineConfig({ agents: [clerk], tools: [teamMembers], mcpServers: [files, handbook] })
