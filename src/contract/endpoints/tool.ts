import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { Id, JsonObject, JsonSchemaDocument, RequiredJson } from '../fields.ts'

export const ToolSummary = z
  .object({
    name: z.string(),
    description: z.string(),
    inputSchema: JsonSchemaDocument,
    outputSchema: JsonSchemaDocument.optional(),
    agents: z.array(z.string()).describe('Ids of the agents that have the tool'),
    callable: z.boolean().describe('Whether it can be called directly; false when only agents call it'),
    source: z.enum(['config', 'agent', 'mcp']).describe('Origin of the tool'),
    serverId: z.string().optional().describe('Connected MCP server that provides the tool'),
  })
  .meta({ id: 'ToolSummary' })
export type ToolSummary = z.infer<typeof ToolSummary>

export const ExecuteToolBody = z
  .object({
    input: RequiredJson.describe("Input, validated by the tool's input schema"),
    context: JsonObject.optional().describe('Additional data for the tool'),
    userId: z
      .string()
      .max(256)
      .optional()
      .describe('Id of the user; the id of an authenticated user takes precedence'),
    conversationId: z.string().max(256).optional().describe('Id of the conversation'),
    approve: z.boolean().optional().describe('Approval, for a tool that requires it'),
  })
  .meta({ id: 'ExecuteToolBody' })

export const ToolResult = z
  .object({
    toolName: z.string(),
    result: z.unknown().describe('Return value of the tool'),
    durationMs: z.number(),
    traceId: z.string().describe('Trace of the call, also in its log records'),
  })
  .meta({ id: 'ToolResult' })
export type ToolResult = z.infer<typeof ToolResult>

export const toolEndpoints = endpoints({
  listTools: {
    method: 'GET',
    path: '/tools',
    lists: 'definitions',
    group: 'management',
    tag: 'Tools',
    summary: 'Lists the tools of the configuration, of agents and of connected MCP servers',
    reply: { kind: 'data', schema: z.array(ToolSummary) },
    errors: [],
  },
  executeTool: {
    method: 'POST',
    path: '/tools/:name/execute',
    action: 'tool',
    decides: 'http',
    group: 'execution',
    tag: 'Tools',
    summary: 'Executes a tool and waits for its result',
    params: z.object({ name: Id.describe('Tool name') }),
    body: ExecuteToolBody,
    reply: { kind: 'data', schema: ToolResult },
    errors: [404, 409, 413, 415],
  },
})
