import type { Offer } from './answer.ts'
import { contentsOf, findResource, isTemplate, type McpResource } from './served-resource.ts'
import type { ServedMcpServer } from './served-server.ts'

/** Answers `resources/list`, `resources/templates/list` and `resources/read`. */
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
}

/** The resources that are there to be listed. */
export function resourceList({ resources }: ServedMcpServer): Omit<McpResource, 'read'>[] {
  return resources.flatMap(({ read: _, ...resource }) => (isTemplate(resource) ? [] : [resource]))
}

/** Those whose URI has parameters. */
export function templateList({ resources }: ServedMcpServer) {
  return resources.flatMap(({ read: _, uri: uriTemplate, ...resource }) =>
    isTemplate({ uri: uriTemplate }) ? [{ uriTemplate, ...resource }] : [],
  )
}
