import { registeredTools } from '../../../agent/tools/registered-tools.ts'
import type { RegisteredTool } from '../../../agent/tools/registered-tools.ts'
import type { ServerConfig } from '../../../config/config.ts'
import { isConnectedMcpServer } from '../../../mcp/connected/connected-server.ts'

/** The tools of a configuration, of its agents and of the MCP servers that are connected. */
export function registeredToolsOf({
  tools,
  agents,
  mcpServers,
}: Pick<ServerConfig, 'tools' | 'agents' | 'mcpServers'>): readonly RegisteredTool[] {
  return registeredTools({ tools, agents, servers: mcpServers.filter(isConnectedMcpServer) })
}
