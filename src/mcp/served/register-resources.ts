import { requireSession } from './exchange.ts'
import type { HandlerDeps } from './exchange.ts'
import { contentsOf, findResource, isTemplate } from './served-resource.ts'
import type { McpResource } from './served-resource.ts'
import type { ServedMcpServer } from './served-server.ts'

/** Handles `resources/list`, `resources/templates/list`, `resources/read`, `/subscribe` and `/unsubscribe`. */
export function registerResources({ mcp, protocolServer, exchange }: HandlerDeps): void {
  const { server, calls, logger } = exchange
  protocolServer.setRequestHandler('resources/list', () => ({ resources: resourceList(server) }))
  protocolServer.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: templateList(server),
  }))
  protocolServer.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const found = findResource(server.resources, uri)
    if (!found) throw new mcp.ResourceNotFoundError(uri)
    const { resource, params } = found
    let contents
    try {
      const value = await calls.resource(resource, { uri, params })
      contents = value === undefined ? [] : [contentsOf(resource, uri, value)]
    } catch (error) {
      logger.warn({ err: error, uri }, `MCP resource "${resource.name}" could not be read`)
      throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InternalError, `Resource "${uri}" could not be read`)
    }
    if (contents.length === 0) throw new mcp.ResourceNotFoundError(uri)
    return { contents }
  })
  protocolServer.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    const { subscriptions } = requireSession({ mcp, exchange })
    if (!findResource(server.resources, uri)) throw new mcp.ResourceNotFoundError(uri)
    const problem = subscriptions.add(uri)
    if (problem !== undefined) throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidParams, problem)
    return {}
  })
  protocolServer.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    requireSession({ mcp, exchange }).subscriptions.delete(uri)
    return {}
  })
}

/** The resources without parameters, as `resources/list` returns them. */
export function resourceList({ resources }: ServedMcpServer): Omit<McpResource, 'read' | 'watch'>[] {
  return resources.flatMap(({ read: _, watch: __, ...resource }) => (isTemplate(resource) ? [] : [resource]))
}

/** The resources with parameters in their URI, as `resources/templates/list` returns them. */
export function templateList({ resources }: ServedMcpServer) {
  return resources.flatMap(({ read: _, watch: __, uri: uriTemplate, ...resource }) =>
    isTemplate({ uri: uriTemplate }) ? [{ uriTemplate, ...resource }] : [],
  )
}
