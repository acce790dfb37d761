import type { Context } from 'hono'
import { allowedOrigin } from '../../auth/origin-rules.ts'
import type { TrustedOrigins } from '../../auth/origin-rules.ts'

const REQUEST_HEADERS =
  'Authorization, Content-Type, Last-Event-ID, Prefer, x-console-access-key, x-service-dev, traceparent, tracestate, ' +
  'MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, A2A-Version, A2A-Extensions'
const RESPONSE_HEADERS =
  'X-Request-Id, X-Execution-Id, X-Trace-Id, X-Total-Count, X-Next-Cursor, Retry-After, Mcp-Session-Id'

/**
 * Sets the CORS headers for pages of trusted origins (Fetch standard, CORS protocol). Returns the response to a
 * preflight request, `undefined` for any other.
 */
export function cors(c: Context, trusted: TrustedOrigins, production: boolean): Response | undefined {
  if (c.req.header('origin') === undefined) return undefined
  c.header('Vary', 'Origin')
  const origin = allowedOrigin(c.req.raw, trusted, production)
  if (origin === undefined) return undefined
  c.header('Access-Control-Allow-Origin', origin)
  c.header('Access-Control-Expose-Headers', RESPONSE_HEADERS)
  const preflight = c.req.method === 'OPTIONS' && c.req.header('access-control-request-method') !== undefined
  if (!preflight) return undefined
  c.header('Access-Control-Allow-Methods', 'GET, HEAD, POST, PUT, PATCH, DELETE')
  c.header('Access-Control-Allow-Headers', REQUEST_HEADERS)
  c.header('Access-Control-Max-Age', '600')
  return c.body(null, 204)
}
