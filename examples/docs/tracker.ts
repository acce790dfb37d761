import { connectMcpServer } from 'agentserver'

export const tracker = connectMcpServer({
  id: 'tracker',
  url: 'https://mcp.example.com/mcp',
  auth: 'oauth',
})
