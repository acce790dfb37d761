import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { Id, JsonObject, JsonSchemaDocument } from '../fields.ts'
import { JsonRpcError, JsonRpcResult } from '../json-rpc.ts'

export const McpServerSummary = z
  .object({
    id: z.string(),
    name: z.string(),
    version: z.string().nullable().describe('Version; null while a connected server has not reported it'),
    description: z.string().nullable(),
    kind: z
      .enum(['served', 'connected'])
      .describe('Served by this server, or an external server it is connected to'),
    transport: z.enum(['http', 'stdio']).describe('Streamable HTTP, or a child process'),
    status: z
      .enum(['ready', 'connecting', 'login', 'error'])
      .describe('`login`: its user has to log in (`auth: oauth`)'),
    error: z.string().optional().describe('Why the server is not connected'),
    toolCount: z.int().describe('Number of tools'),
  })
  .meta({ id: 'McpServerSummary' })
export type McpServerSummary = z.infer<typeof McpServerSummary>

export const McpServerDetail = McpServerSummary.extend({
  capabilities: JsonObject.describe('MCP capabilities of the server'),
  url: z
    .string()
    .optional()
    .describe('Path of a served server; URL of a connected server, without its query'),
  command: z.string().optional().describe('Command of a connected server over stdio'),
  oauth: z.boolean().optional().describe('Its user logs in: auth is oauth'),
}).meta({ id: 'McpServerDetail' })
export type McpServerDetail = z.infer<typeof McpServerDetail>

export const McpTool = z
  .object({
    name: z.string().describe('Name; tools of connected servers are named <serverId>_<tool>'),
    title: z.string().nullable(),
    description: z.string(),
    inputSchema: JsonSchemaDocument,
    outputSchema: JsonSchemaDocument.optional(),
  })
  .meta({ id: 'McpTool' })
export type McpTool = z.infer<typeof McpTool>

const Described = z.object({
  name: z.string(),
  title: z.string().nullable(),
  description: z.string().nullable(),
  mimeType: z.string().nullable(),
})

export const McpListedResource = Described.extend({
  uri: z.string(),
  size: z.number().nullable().describe('Bytes'),
}).meta({ id: 'McpResource' })
export type McpListedResource = z.infer<typeof McpListedResource>

export const McpResourceTemplate = Described.extend({
  uriTemplate: z.string().describe('URI template (RFC 6570)'),
}).meta({ id: 'McpResourceTemplate' })
export type McpResourceTemplate = z.infer<typeof McpResourceTemplate>

export const McpResourceContents = z
  .object({
    contents: z
      .array(
        z.object({
          uri: z.string(),
          mimeType: z.string().nullable(),
          text: z.string().optional(),
          blob: z.string().optional().describe('Bytes as base64, instead of text'),
        }),
      )
      .describe('A resource can have several parts'),
  })
  .meta({ id: 'McpResourceContents' })
export type McpResourceContents = z.infer<typeof McpResourceContents>

export const McpListedPrompt = Described.omit({ mimeType: true })
  .extend({
    arguments: z.array(
      z.object({ name: z.string(), description: z.string().nullable(), required: z.boolean() }),
    ),
  })
  .meta({ id: 'McpPrompt' })
export type McpListedPrompt = z.infer<typeof McpListedPrompt>

export const McpPromptMessages = z
  .object({
    description: z.string().nullable(),
    messages: z.array(
      z.object({
        role: z.enum(['user', 'assistant']),
        content: z.looseObject({ type: z.string() }).describe('Content block of the protocol'),
      }),
    ),
  })
  .meta({ id: 'McpPromptMessages' })
export type McpPromptMessages = z.infer<typeof McpPromptMessages>

/** A single JSON-RPC message. Its other members depend on its kind. */
export const McpMessage = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number()]).optional(),
    method: z.string().optional(),
    params: JsonObject.optional(),
  })
  .meta({ id: 'McpMessage' })

/** A notification of the server. */
export const McpNotification = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    method: z.enum([
      'notifications/tools/list_changed',
      'notifications/resources/list_changed',
      'notifications/prompts/list_changed',
      'notifications/resources/updated',
    ]),
    params: z.object({ uri: z.string() }).optional().describe('The updated resource'),
  })
  .meta({ id: 'McpNotification' })

/** Protected-resource metadata (RFC 9728, section 2). */
export const ProtectedResource = z
  .object({
    resource: z.string().describe('URL of the MCP server, or the origin of the server'),
    authorization_servers: z.array(z.string()).describe('Issuer URLs: authNext.authorizationServers'),
    bearer_methods_supported: z.array(z.literal('header')),
  })
  .meta({ id: 'ProtectedResource' })
export type ProtectedResource = z.infer<typeof ProtectedResource>

const params = z.object({ serverId: Id.describe('MCP server id') })

const headers = z.object({
  'Mcp-Session-Id': z
    .string()
    .optional()
    .describe('Session of a client on revision 2025-xx: the header of the response to initialize'),
  'MCP-Protocol-Version': z.string().optional().describe('MCP revision of the client'),
})

const content = { method: 'GET', group: 'observability', tag: 'MCP', params, errors: [404] } as const

const discovery = { method: 'GET', group: 'discovery', tag: 'MCP' } as const

const metadata = {
  method: 'GET',
  group: 'metadata',
  tag: 'MCP',
  onlyWith: 'authorizationServers',
  reply: { kind: 'document', type: 'application/json', schema: ProtectedResource },
} as const

/** The reply to a message of Streamable HTTP. */
const message = {
  kind: 'protocol',
  schema: z.union([JsonRpcResult, JsonRpcError]),
  events: McpMessage,
  accepted: true,
} as const

export const mcpEndpoints = endpoints({
  getProtectedResource: {
    ...metadata,
    path: '/.well-known/oauth-protected-resource',
    summary: 'Returns which authorization servers issue tokens for this server (RFC 9728)',
    errors: [404],
  },
  getProtectedMcpServer: {
    ...metadata,
    path: '/.well-known/oauth-protected-resource/mcp/:serverId',
    summary:
      'Returns which authorization servers issue tokens for a served MCP server (RFC 9728); also at …/mcp/:serverId/mcp',
    params,
    errors: [404],
  },
  listMcpServers: {
    ...discovery,
    path: '/mcp/servers',
    summary: 'Lists served and connected MCP servers',
    reply: { kind: 'data', schema: z.array(McpServerSummary) },
    errors: [],
  },
  getMcpServer: {
    ...discovery,
    path: '/mcp/servers/:serverId',
    summary: 'Returns an MCP server with its capabilities and address',
    params,
    reply: { kind: 'data', schema: McpServerDetail },
    errors: [404],
  },
  listMcpTools: {
    ...discovery,
    path: '/mcp/servers/:serverId/tools',
    summary: 'Lists the tools of an MCP server',
    params,
    reply: { kind: 'data', schema: z.array(McpTool) },
    errors: [404],
  },
  listMcpResources: {
    ...content,
    path: '/mcp/servers/:serverId/resources',
    summary: 'Lists the resources of an MCP server, then its resource templates',
    reply: { kind: 'data', schema: z.array(z.union([McpListedResource, McpResourceTemplate])) },
  },
  readMcpResource: {
    ...content,
    path: '/mcp/servers/:serverId/resources/read',
    summary: 'Reads a resource of a connected MCP server',
    query: z.object({ uri: z.string().min(1) }),
    reply: { kind: 'data', schema: McpResourceContents },
  },
  listMcpPrompts: {
    ...content,
    path: '/mcp/servers/:serverId/prompts',
    summary: 'Lists the prompts of an MCP server',
    reply: { kind: 'data', schema: z.array(McpListedPrompt) },
  },
  getMcpPrompt: {
    ...content,
    path: '/mcp/servers/:serverId/prompts/get',
    summary: 'Returns the messages of a prompt of a connected MCP server',
    query: z.object({
      name: z.string().min(1),
      arguments: z.string().optional().describe('JSON object of strings'),
    }),
    reply: { kind: 'data', schema: McpPromptMessages },
  },
  startMcpLogin: {
    method: 'POST',
    path: '/mcp/servers/:serverId/login',
    group: 'observability',
    tag: 'MCP',
    summary: 'Returns the link with which the user of this machine logs in at a connected MCP server',
    params,
    reply: {
      kind: 'data',
      schema: z.object({ link: z.string().describe('Page of the authorization server') }),
    },
    errors: [404, 409],
  },
  finishMcpLogin: {
    method: 'GET',
    path: '/mcp/oauth/callback',
    group: 'login',
    tag: 'MCP',
    summary: 'Ends a login at a connected MCP server: authorization servers send the browser here, once',
    query: z.object({
      state: z.string().max(256).describe('State of the login, which is the permission'),
      code: z.string().max(4096).optional(),
      iss: z.string().max(2048).optional(),
      error: z.string().max(256).optional().describe('Why the user was refused'),
    }),
    reply: { kind: 'document', type: 'text/html' },
    errors: [404],
  },
  callMcpServer: {
    method: 'POST',
    path: '/mcp/:serverId',
    decides: 'mcp',
    group: 'execution',
    tag: 'MCP',
    summary: 'Sends a message to a served MCP server (Streamable HTTP); also at /mcp/:serverId/mcp',
    params,
    headers,
    body: McpMessage,
    reply: { ...message, rpcErrors: [400, 404, 406, 500] },
    // 405: the path /mcp/servers, which also fits this one
    errors: [404, 405, 406, 413, 415],
  },
  callCodingServer: {
    method: 'POST',
    path: '/mcp/dev',
    group: 'observability',
    tag: 'MCP',
    summary:
      'Sends a message to the MCP server with the tools for coding agents (Streamable HTTP); under `agentserver dev` only, from this machine',
    headers,
    body: McpMessage,
    reply: { ...message, rpcErrors: [400, 406, 500] },
    errors: [404, 406, 413, 415],
  },
  listenToMcpServer: {
    method: 'GET',
    path: '/mcp/:serverId',
    group: 'execution',
    tag: 'MCP',
    summary:
      'Streams notifications of a served MCP server (Streamable HTTP, MCP revisions 2025-xx); also at /mcp/:serverId/mcp',
    params,
    headers,
    reply: { kind: 'events', schema: McpNotification },
    // 405: the path /mcp/dev, which also fits this one
    errors: [404, 405],
  },
})
