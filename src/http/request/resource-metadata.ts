import { AppError } from '../../lib/errors.ts'
import type { ProtectedResource } from '../../contract/endpoints/mcp.ts'
import { mcpEndpoints as ENDPOINTS } from '../../contract/endpoints/mcp.ts'
import { routeMatcher } from '../../contract/route-pattern.ts'
import type { RouteTarget } from '../../contract/route-pattern.ts'
import type { Services } from '../services.ts'
import { serverOrigin } from './server-origin.ts'

/** The path of a resource follows that of the metadata (RFC 9728, section 3.1). */
const METADATA = ENDPOINTS.getProtectedResource.path

const isServedMcp = routeMatcher([ENDPOINTS.callMcpServer.path])

/** The metadata of the resource that the request's path ends with: an MCP server, or this server as a whole. */
export function protectedResource(request: Request, services: Services): ProtectedResource {
  const path = new URL(request.url).pathname.slice(METADATA.length)
  return {
    resource: serverOrigin(request, services.trustedOrigins()) + path,
    authorization_servers: [...issuers(services)],
    bearer_methods_supported: ['header'],
  }
}

/** Adds the address of the metadata to the 401 of a served MCP server (RFC 9728, section 5.1). */
export function withResourceMetadata(
  error: unknown,
  { request, target }: { readonly request: Request; readonly target: RouteTarget },
  services: Services,
): unknown {
  if (!(error instanceof AppError) || error.code !== 'unauthorized' || issuers(services).length === 0)
    return error
  const scheme = error.headers['WWW-Authenticate'] ?? ''
  const isOfUsers = scheme.startsWith('Bearer ') && target.path !== ENDPOINTS.listMcpServers.path
  if (!isOfUsers || !isServedMcp(target)) return error
  const url = serverOrigin(request, services.trustedOrigins()) + METADATA + new URL(request.url).pathname
  const headers = { 'WWW-Authenticate': `${scheme}, resource_metadata="${url}"` }
  return new AppError('unauthorized', error.message, { headers })
}

function issuers(services: Services): readonly string[] {
  return services.current().config.authNext?.authorizationServers ?? []
}
