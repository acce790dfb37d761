import type {
  McpListedPrompt,
  McpListedResource,
  McpResourceTemplate,
  McpServerDetail,
  McpServerSummary,
  McpTool,
} from '../contract/endpoints/mcp.ts'
import { compileSchema } from '../lib/schema/schema.ts'
import type { ConnectedMcpServer } from './connected/connected-server.ts'
import type { RequestContext } from './connected/calls-in-flight.ts'
import { listedPrompt, listedResource, listedTemplate } from './listed-content.ts'
import { resourceList, templateList } from './served/register-resources.ts'
import type { ServedMcpServer } from './served/served-server.ts'
import { servedCapabilities } from './served/served-capabilities.ts'
import { servedTools, toolList } from './served/served-tools.ts'

export type McpServer = ServedMcpServer | ConnectedMcpServer

/** An MCP server as in the list of servers. */
export function summariseMcpServer(server: McpServer): McpServerSummary {
  if (server.kind === 'served') {
    const { id, kind, name, version, description = null } = server
    const toolCount = servedTools(server).length
    return { id, name, version, description, kind, transport: 'http', status: 'ready', toolCount }
  }
  const { id, kind, connection, tools, config } = server
  const { name = id, version = null, description = null } = connection?.facts ?? {}
  const error = connection?.error
  return {
    id,
    name,
    version: version === '' ? null : version,
    description,
    kind,
    transport: 'url' in config ? 'http' : 'stdio',
    status: connection?.status ?? 'connecting',
    ...(error !== undefined && { error }),
    toolCount: tools.length,
  }
}

/** An MCP server with its capabilities and address. `pathOf` returns the path of a served one. */
export function describeMcpServer(server: McpServer, pathOf: (id: string) => string): McpServerDetail {
  const summary = summariseMcpServer(server)
  if (server.kind === 'served')
    return { ...summary, capabilities: servedCapabilities(server), url: pathOf(server.id) }
  const { config, connection } = server
  const place =
    'url' in config
      ? { url: withoutSecrets(config.url), ...(config.auth === 'oauth' && { oauth: true }) }
      : { command: config.command }
  return { ...summary, capabilities: { ...connection?.facts?.capabilities }, ...place }
}

/** The tools of an MCP server, by the names that are used in this project. */
export function mcpTools(server: McpServer): McpTool[] {
  if (server.kind === 'served')
    return toolList(server).map(({ title = null, ...tool }) => ({ ...tool, title }))
  return (server.connection?.remoteTools ?? []).map(({ tool, title = null }) => ({
    name: tool.name,
    title,
    description: tool.description,
    inputSchema: compileSchema(tool.inputSchema).input,
    ...(tool.outputSchema && { outputSchema: compileSchema(tool.outputSchema).output }),
  }))
}

/** The resources of an MCP server, then its resource templates. */
export async function mcpResources(
  server: McpServer,
  context: RequestContext,
): Promise<(McpListedResource | McpResourceTemplate)[]> {
  if (server.kind === 'served')
    return [
      ...resourceList(server).map((resource) => listedResource(resource)),
      ...templateList(server).map((template) => listedTemplate(template)),
    ]
  return [...(await server.resources(context)), ...(await server.resourceTemplates(context))]
}

/** The prompts of an MCP server. */
export async function mcpPrompts(server: McpServer, context: RequestContext): Promise<McpListedPrompt[]> {
  if (server.kind === 'served') return server.prompts.map((prompt) => listedPrompt(prompt))
  return server.prompts(context)
}

/** Removes the query and the user info, which often contain keys and passwords. */
function withoutSecrets(text: string): string {
  const url = new URL(text)
  return `${url.protocol}//${url.host}${url.pathname}`
}
