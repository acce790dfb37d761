import type * as Mcp from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import type { PausableExchange } from './requests/input-required.ts'
import type { ServedMcpServer } from './served-server.ts'
import type { McpCalls } from './served-tool.ts'
import type { ClientSession } from './sessions/client-sessions.ts'

/** One HTTP exchange with an MCP client: a request and everything needed to handle it. */
export interface McpExchange extends PausableExchange {
  readonly server: ServedMcpServer
  /** The request without its body, which is in `body`. */
  readonly request: Request
  readonly body: unknown
  readonly calls: McpCalls
  /** The session of a client on revision 2025-xx; `undefined` for all other clients. */
  readonly session: ClientSession | undefined
  /** Publishes an event when a reload changes the server's lists or a subscribed resource changes. */
  readonly changes: Mcp.ServerEventBus
  readonly logger: Logger
}

/** Dependencies of the functions that register request handlers. */
export interface HandlerDeps {
  /** The MCP SDK. */
  readonly mcp: typeof Mcp
  /** The SDK server of this exchange. */
  readonly protocolServer: Mcp.Server
  readonly exchange: McpExchange
}

/**
 * The session of a client that calls a method which needs one.
 *
 * @throws ProtocolError `InvalidRequest` without a session.
 */
export function requireSession({ mcp, exchange }: Pick<HandlerDeps, 'mcp' | 'exchange'>): ClientSession {
  const { session } = exchange
  if (session) return session
  const message = 'This method needs a session: send the Mcp-Session-Id header returned by initialize'
  throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidRequest, message)
}
