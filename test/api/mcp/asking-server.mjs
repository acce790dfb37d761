// An MCP server on standard input and output whose tools send requests to their client.
import { Server } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] })
const server = new Server({ name: 'Asking', version: '1' }, { capabilities: { tools: {} } })
const TOOLS = {
  capabilities: () => text(server.getClientCapabilities() ?? {}),
  roots: async () => text((await server.listRoots()).roots),
  sample: async () =>
    text(
      await server.createMessage({
        messages: [{ role: 'user', content: { type: 'text', text: 'Name a color' } }],
        systemPrompt: 'Answer in one word',
        maxTokens: 20,
      }),
    ),
  elicit: async () =>
    text(
      await server.elicitInput({
        message: 'Deliver where?',
        requestedSchema: {
          type: 'object',
          properties: { city: { type: 'string', minLength: 2 } },
          required: ['city'],
        },
      }),
    ),
}
server.setRequestHandler('tools/list', () => ({
  tools: Object.keys(TOOLS).map((name) => ({ name, description: name, inputSchema: { type: 'object' } })),
}))
server.setRequestHandler('tools/call', async ({ params: { name } }) => {
  try {
    return await TOOLS[name]()
  } catch (error) {
    return text({ error: error.message })
  }
})
await server.connect(new StdioServerTransport())
