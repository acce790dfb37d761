import { z } from 'zod'
import type { mcpEndpoints } from '../../../contract/endpoints/mcp.ts'
import { mcpEndpoints as ENDPOINTS } from '../../../contract/endpoints/mcp.ts'
import { AppError } from '../../../lib/errors.ts'
import { parseJson } from '../../../lib/json/parse-json.ts'
import { isConnectedMcpServer } from '../../../mcp/connected/connected-server.ts'
import type { ConnectedMcpServer } from '../../../mcp/connected/connected-server.ts'
import {
  describeMcpServer,
  mcpPrompts,
  mcpResources,
  mcpTools,
  summariseMcpServer,
} from '../../../mcp/describe.ts'
import type { McpServer } from '../../../mcp/describe.ts'
import { isServedMcpServer } from '../../../mcp/served/served-server.ts'
import type { ServedMcpServer } from '../../../mcp/served/served-server.ts'
import { codingEndpoint } from './coding-endpoint.ts'
import type { Dispatch } from './coding-endpoint.ts'
import { McpEndpoint } from './mcp-endpoint.ts'
import type { Document, Handler } from '../../reply/reply.ts'
import { smallPage } from '../../pages/resume-page.ts'
import { protectedResource } from '../../request/resource-metadata.ts'
import type { Services } from '../../services.ts'

type Group = typeof mcpEndpoints

export function mcpHandlers(
  services: Services,
  dispatch: Dispatch,
): { [K in keyof Group]: Handler<Group[K]> } {
  const endpoint = new McpEndpoint(services)
  const coding = codingEndpoint(services, dispatch)
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
    throw new AppError('not_found', `MCP server not found: ${id}`)
  }
  const findConnected = (id: string): ConnectedMcpServer => {
    const server = find(id)
    if (server.kind === 'connected') return server
    throw new AppError('not_found', `MCP server not found: ${id}`)
  }
  const metadata = (request: Request): Document => ({
    body: JSON.stringify(protectedResource(request, services)),
    type: 'application/json',
    // it has the origin of the request
    headers: { 'Cache-Control': 'private, no-cache' },
  })
  return {
    getProtectedResource: ({ raw }) => metadata(raw),
    getProtectedMcpServer: ({ params, raw }) => {
      findServed(params.serverId)
      return metadata(raw)
    },
    listMcpServers: () => servers().map((server) => summariseMcpServer(server)),
    getMcpServer: ({ params }) =>
      describeMcpServer(find(params.serverId), (id) => ENDPOINTS.callMcpServer.path.replace(':serverId', id)),
    listMcpTools: ({ params }) => mcpTools(find(params.serverId)),
    listMcpResources: ({ params, raw }) => mcpResources(find(params.serverId), { signal: raw.signal }),
    readMcpResource: ({ params, query, raw: { signal }, trace }) =>
      findConnected(params.serverId).readResource(query.uri, { signal, trace }),
    listMcpPrompts: ({ params, raw }) => mcpPrompts(find(params.serverId), { signal: raw.signal }),
    getMcpPrompt: ({ params, query, raw: { signal }, trace }) =>
      findConnected(params.serverId).getPrompt(query.name, promptArguments(query.arguments), {
        signal,
        trace,
      }),
    startMcpLogin: async ({ params }) => {
      const login = findConnected(params.serverId).connection?.login
      if (!login)
        throw new AppError('conflict', `MCP server "${params.serverId}" has no login: auth is not oauth`)
      return { link: await login.start() }
    },
    finishMcpLogin: async ({ query, raw }) => {
      const server = servers().find(
        (one) => one.kind === 'connected' && one.connection?.login?.matches(query.state) === true,
      )
      const login = server?.kind === 'connected' ? server.connection?.login : undefined
      if (!server || !login)
        throw new AppError('not_found', 'Login not found: it was used already, or has ended')
      // a HEAD is no visit of the user
      if (raw.method === 'GET') await login.finish(new URL(raw.url).searchParams)
      return smallPage(`Logged in at ${server.id}`, '<p>You can close this page.</p>')
    },
    callMcpServer: (message) => endpoint.handle(findServed(message.params.serverId), message),
    callCodingServer: coding,
    listenToMcpServer: (request) => endpoint.listen(findServed(request.params.serverId), request),
  }
}

/** @throws AppError `invalid_input` when the text is not a JSON object of strings. */
function promptArguments(text = '{}'): Record<string, string> {
  const { data } = z.record(z.string(), z.string()).safeParse(parseJson(text))
  if (data) return data
  throw new AppError('invalid_input', 'arguments: Must be a JSON object of strings')
}
