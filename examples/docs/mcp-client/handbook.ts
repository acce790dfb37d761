import { connectMcpServer } from 'agentserver'

export const handbook = connectMcpServer({
  id: 'handbook',
  url: process.env['HANDBOOK_URL'] ?? 'https://handbook.example/mcp',
})
