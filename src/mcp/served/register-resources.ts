import type { Offer } from './requests/handle-request.ts'
import { sessionOf } from './register-logging.ts'
import { contentsOf, findResource, isTemplate, type McpResource } from './served-resource.ts'
import type { ServedMcpServer } from './served-server.ts'

/** Answers `resources/list`, `resources/templates/list`, `resources/read`, `/subscribe` and `/unsubscribe`. */
export function offerResources({ mcp, made, exchange }: Offer): void {
  const { server, calls, logger } = exchange
  made.setRequestHandler('resources/list', () => ({ resources: resourceList(server) }))
  made.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: templateList(server) }))
  made.setRequestHandler('resources/read', async ({ params: { uri } }) => {
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
  made.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    const { subscriptions } = sessionOf({ mcp, exchange })
    if (!findResource(server.resources, uri)) throw new mcp.ResourceNotFoundError(uri)
    const problem = subscriptions.add(uri)
    if (problem !== undefined) throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidParams, problem)
    return {}
  })
  made.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    sessionOf({ mcp, exchange }).subscriptions.delete(uri)
    return {}
  })
}

/** The resources that are there to be listed. */
export function resourceList({ resources }: ServedMcpServer): Omit<McpResource, 'read' | 'watch'>[] {
  return resources.flatMap(({ read: _, watch: __, ...resource }) => (isTemplate(resource) ? [] : [resource]))
}

/** Those whose URI has parameters. */
export function templateList({ resources }: ServedMcpServer) {
  return resources.flatMap(({ read: _, watch: __, uri: uriTemplate, ...resource }) =>
    isTemplate({ uri: uriTemplate }) ? [{ uriTemplate, ...resource }] : [],
  )
}
