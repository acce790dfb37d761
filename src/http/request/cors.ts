import { allowedOrigin } from '../../auth/origin-rules.ts'
import type { TrustedOrigins } from '../../auth/origin-rules.ts'
import type { HeaderRecord } from '../reply/reply.ts'

const REQUEST_HEADERS =
  'Authorization, Content-Type, Last-Event-ID, Prefer, x-console-access-key, x-service-dev, traceparent, tracestate, ' +
  'MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, A2A-Version, A2A-Extensions'
const RESPONSE_HEADERS =
  'X-Request-Id, X-Execution-Id, X-Trace-Id, X-Total-Count, X-Next-Cursor, Retry-After, Mcp-Session-Id'

const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers': REQUEST_HEADERS,
  'Access-Control-Max-Age': '600',
}

export interface Cors {
  readonly headers: HeaderRecord
  /** Whether the request is a preflight of a trusted origin, which is answered with these headers alone. */
  readonly isPreflight: boolean
}

/** The CORS headers of the response to a request with an `Origin` (Fetch standard, CORS protocol). */
export function cors(request: Request, trusted: TrustedOrigins): Cors {
  const vary = { Vary: 'Origin' }
  const origin = allowedOrigin(request, trusted)
  if (origin === undefined) return { headers: vary, isPreflight: false }
  const isPreflight = request.method === 'OPTIONS' && request.headers.has('access-control-request-method')
  const headers = {
    ...vary,
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': RESPONSE_HEADERS,
    ...(isPreflight && PREFLIGHT_HEADERS),
  }
  return { headers, isPreflight }
}
