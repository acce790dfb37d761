import { connectMcpServer, defineConfig } from 'agentserver'

const tracker = connectMcpServer({
  id: 'tracker',
  url: 'https://mcp.example.com/mcp',
  auth: 'oauth',
})

export default defineConfig({ mcpServers: [tracker] })
