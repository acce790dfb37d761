import { getPath } from 'hono/utils/url'

/**
 * The URL of a served MCP server in clients that were set up for other servers, and of its metadata. `/mcp/servers/mcp`
 * is a server's detail.
 */
const MCP_ALIAS = /^((?:\/\.well-known\/oauth-protected-resource)?\/mcp\/(?!servers\/)[^/]+)\/mcp$/

/** The path without an alias. Everything after it sees only this one: routes, access rules, metrics. */
export function canonicalPath(path: string): string {
  return path.replace(MCP_ALIAS, '$1')
}

/** The path that a request is dispatched by. */
export function dispatchedPath(request: Request): string {
  return canonicalPath(getPath(request))
}
