import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { Id, JsonObject, JsonSchemaDocument, RequiredJson } from '../fields.ts'

export const ToolSummary = z
  .object({
    name: z.string(),
    description: z.string(),
    inputSchema: JsonSchemaDocument,
    outputSchema: JsonSchemaDocument.optional(),
    agents: z.array(z.string()).describe('Ids of the agents that have it'),
    source: z.enum(['config', 'agent', 'mcp']).describe('Where it is declared first'),
    serverId: z.string().optional().describe('The connected MCP server it is from'),
  })
  .meta({ id: 'ToolSummary' })
export type ToolSummary = z.infer<typeof ToolSummary>

export const ExecuteToolBody = z
  .object({
    input: RequiredJson.describe("Checked by the tool's input schema"),
    context: JsonObject.optional().describe('Further data, handed to the tool'),
    userId: z.string().max(256).optional().describe('User it runs for; the id of the token wins'),
    conversationId: z.string().max(256).optional(),
    approve: z.boolean().optional().describe('A person agreed, for a tool that needs approval'),
  })
  .meta({ id: 'ExecuteToolBody' })

export const ToolResult = z
  .object({
    toolName: z.string(),
    result: z.unknown(),
    durationMs: z.number(),
    traceId: z.string().describe('32 hexadecimal digits; the log names it too'),
  })
  .meta({ id: 'ToolResult' })
export type ToolResult = z.infer<typeof ToolResult>

export const toolEndpoints = endpoints({
  listTools: {
    method: 'GET',
    path: '/tools',
    group: 'management',
    tag: 'Tools',
    summary: 'List the tools of the configuration, of agents and of connected MCP servers',
    reply: { kind: 'data', schema: z.array(ToolSummary) },
    errors: [],
  },
  executeTool: {
    method: 'POST',
    path: '/tools/:name/execute',
    group: 'execution',
    tag: 'Tools',
    summary: 'Execute a tool',
    params: z.object({ name: Id.describe('Tool name') }),
    body: ExecuteToolBody,
    reply: { kind: 'data', schema: ToolResult },
    errors: [404, 409, 413, 415],
  },
})
