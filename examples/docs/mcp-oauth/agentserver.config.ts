import { createMcpServer, defineConfig, jwtAuth } from 'agentserver'
import { lookupOrder } from '../lookup-order.ts'

export default defineConfig({
  mcpServers: [createMcpServer({ id: 'desk', name: 'Order desk', tools: [lookupOrder] })],
  authNext: {
    provider: jwtAuth({
      jwksUri: 'https://login.example.com/.well-known/jwks.json',
      verifyOptions: {
        algorithms: ['RS256'],
        issuer: 'https://login.example.com',
        audience: 'https://api.example.com/mcp/desk',
      },
    }),
    authorizationServers: ['https://login.example.com'],
  },
})
