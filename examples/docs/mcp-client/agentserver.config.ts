import { connectMcpServer, createAgent, defineConfig } from 'agentserver'

/** A program on this machine that speaks MCP on standard input and output. */
const files = connectMcpServer({
  id: 'files',
  command: 'npx',
  args: ['-y', '@modelcontextprotocol/server-filesystem', '.'],
})

/** A server that speaks MCP over Streamable HTTP. */
const crm = connectMcpServer({
  id: 'crm',
  url: process.env['CRM_URL'] ?? 'https://crm.example/mcp',
  headers: { Authorization: `Bearer ${process.env['CRM_TOKEN'] ?? ''}` },
})

const clerk = createAgent({
  id: 'clerk',
  name: 'Clerk',
  instructions: 'Answer questions about customers.',
  tools: [crm],
})

export default defineConfig({ agents: [clerk], mcpServers: [files, crm] })
