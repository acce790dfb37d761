import type { mcpEndpoints } from '../../../contract/endpoints/mcp.ts'
import { mcpEndpoints as ENDPOINTS } from '../../../contract/endpoints/mcp.ts'
import { AppError } from '../../../lib/errors.ts'
import { isConnectedMcpServer } from '../../../mcp/connected/connected-server.ts'
import { describeMcpServer, mcpTools, summariseMcpServer, type McpServer } from '../../../mcp/describe.ts'
import { isServedMcpServer, type ServedMcpServer } from '../../../mcp/served/served-server.ts'
import { McpEndpoint } from './mcp-endpoint.ts'
import type { Handler } from '../../reply/reply.ts'
import type { Services } from '../../services.ts'

type Group = typeof mcpEndpoints

export function mcpHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const endpoint = new McpEndpoint(services)
  const servers = (): McpServer[] => {
    const { mcpServers } = services.current().config
    return mcpServers.flatMap((server) =>
      isServedMcpServer(server) || isConnectedMcpServer(server) ? [server] : [],
    )
  }
  const find = (id: string): McpServer => {
    const found = servers().find((server) => server.id === id)
    if (!found) throw new AppError('not_found', `MCP server not found: ${id}`)
    return found
  }
  const findServed = (id: string): ServedMcpServer => {
    const server = find(id)
    if (server.kind === 'served') return server
    throw new AppError('not_found', `MCP server not found: ${id} is a connected server, not a served one`)
  }
  return {
    listMcpServers: () => servers().map((server) => summariseMcpServer(server)),
    getMcpServer: ({ params }) =>
      describeMcpServer(find(params.serverId), (id) => ENDPOINTS.callMcpServer.path.replace(':serverId', id)),
    listMcpTools: ({ params }) => mcpTools(find(params.serverId)),
    callMcpServer: (message) => endpoint.handle(findServed(message.params.serverId), message),
    listenToMcpServer: (request) => endpoint.listen(findServed(request.params.serverId), request),
  }
}
