import { connectMcpServer } from 'agentserver'

/** A server that speaks MCP over Streamable HTTP. */
export const handbook = connectMcpServer({
  id: 'handbook',
  url: process.env['HANDBOOK_URL'] ?? 'http://127.0.0.1:3142/mcp/handbook',
  headers: { Authorization: `Bearer ${process.env['HANDBOOK_TOKEN'] ?? ''}` },
})
