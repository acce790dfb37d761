import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { Id, JsonObject, JsonSchemaDocument } from '../fields.ts'

export const McpServerSummary = z
  .object({
    id: z.string(),
    name: z.string(),
    version: z.string().nullable().describe('null before a connected server told it'),
    description: z.string().nullable(),
    kind: z.enum(['served', 'connected']).describe('Served by this server, or elsewhere and connected to'),
    transport: z.enum(['http', 'stdio']).describe('Streamable HTTP, or a program'),
    status: z.enum(['ready', 'connecting', 'error']),
    error: z.string().optional().describe('Why it is not connected'),
    toolCount: z.int(),
  })
  .meta({ id: 'McpServerSummary' })
export type McpServerSummary = z.infer<typeof McpServerSummary>

export const McpServerDetail = McpServerSummary.extend({
  capabilities: JsonObject,
  url: z.string().optional().describe('Of a served one its path; of a connected one without its query'),
  command: z.string().optional(),
}).meta({ id: 'McpServerDetail' })
export type McpServerDetail = z.infer<typeof McpServerDetail>

export const McpTool = z
  .object({
    name: z.string().describe('A tool of a connected server is named <serverId>_<tool>'),
    title: z.string().nullable(),
    description: z.string(),
    inputSchema: JsonSchemaDocument,
    outputSchema: JsonSchemaDocument.optional(),
  })
  .meta({ id: 'McpTool' })
export type McpTool = z.infer<typeof McpTool>

/** A JSON-RPC message, one at a time. Further members depend on its kind. */
export const McpMessage = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number()]).optional(),
    method: z.string().optional(),
    params: JsonObject.optional(),
  })
  .meta({ id: 'McpMessage' })

/** What a server tells by itself, without being asked. */
export const McpNotification = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    method: z.enum([
      'notifications/tools/list_changed',
      'notifications/resources/list_changed',
      'notifications/prompts/list_changed',
      'notifications/resources/updated',
    ]),
    params: z.object({ uri: z.string() }).optional().describe('Which resource was updated'),
  })
  .meta({ id: 'McpNotification' })

const params = z.object({ serverId: Id.describe('MCP server id') })

const discovery = { method: 'GET', group: 'discovery', tag: 'MCP' } as const

export const mcpEndpoints = endpoints({
  listMcpServers: {
    ...discovery,
    path: '/mcp/servers',
    summary: 'List MCP servers, served and connected',
    reply: { kind: 'data', schema: z.array(McpServerSummary) },
    errors: [],
  },
  getMcpServer: {
    ...discovery,
    path: '/mcp/servers/:serverId',
    summary: 'An MCP server, what it can do and where it is',
    params,
    reply: { kind: 'data', schema: McpServerDetail },
    errors: [404],
  },
  listMcpTools: {
    ...discovery,
    path: '/mcp/servers/:serverId/tools',
    summary: 'The tools of an MCP server',
    params,
    reply: { kind: 'data', schema: z.array(McpTool) },
    errors: [404],
  },
  callMcpServer: {
    method: 'POST',
    path: '/mcp/:serverId',
    group: 'execution',
    tag: 'MCP',
    summary: 'Send a message to a served MCP server (Streamable HTTP)',
    params,
    body: McpMessage,
    reply: { kind: 'protocol', types: ['application/json', 'text/event-stream'] },
    errors: [404, 413, 415],
  },
  listenToMcpServer: {
    method: 'GET',
    path: '/mcp/:serverId',
    group: 'execution',
    tag: 'MCP',
    summary: 'Be told when what a served MCP server offers changes (Streamable HTTP of the 2025 revisions)',
    params,
    reply: { kind: 'events', schema: McpNotification },
    errors: [404],
  },
})
