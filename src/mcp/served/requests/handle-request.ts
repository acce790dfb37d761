import type * as Mcp from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import type { CallLife } from './call-lifetime.ts'
import type { ClientSession } from '../sessions/client-sessions.ts'
import { offerLogging } from '../register-logging.ts'
import { offerPrompts } from '../register-prompts.ts'
import { offerResources } from '../register-resources.ts'
import { offerTools } from '../register-tools.ts'
import type { PausedCalls } from './paused-calls.ts'
import { servedCapabilities } from '../served-capabilities.ts'
import type { ServedMcpServer } from '../served-server.ts'
import type { McpCalls } from '../served-tools.ts'
import type { SessionOwner } from '../sessions/session-owner.ts'

export interface McpExchange {
  readonly server: ServedMcpServer
  /** Its body was read. */
  readonly request: Request
  readonly body: unknown
  readonly calls: McpCalls
  /** Aborts when nobody waits for an answer any more. */
  readonly signal: AbortSignal
  /** Of a client of the 2025 revisions that is known. */
  readonly session: ClientSession | undefined
  readonly owner: SessionOwner
  /** Calls that wait for clients of the 2026 revision. */
  readonly paused: PausedCalls
  /** Of what is called. */
  readonly life: CallLife
  /** Keeps what a call needs beyond this exchange, until `end` is called. The signal aborts when the server stops. */
  readonly outlive: () => { readonly signal: AbortSignal; readonly end: () => void }
  /** Told when another configuration changes what the server offers. */
  readonly changes: Mcp.ServerEventBus
  readonly logger: Logger
}

/** What answers the messages of one kind. */
export interface Offer {
  /** The protocol's package. */
  readonly mcp: typeof Mcp
  readonly made: Mcp.Server
  readonly exchange: McpExchange
}

/**
 * Answers one message of Streamable HTTP. What a client sends says all there is to know, but for what its session
 * adds. The packages load with the first message.
 */
export async function answerMcp(exchange: McpExchange): Promise<Response> {
  const mcp = await import('@modelcontextprotocol/server')
  const { server, logger } = exchange
  const { name, version, description } = server
  const capabilities = servedCapabilities(server)
  const makeServer = (): Mcp.Server => {
    const options = { capabilities, ...(description !== undefined && { instructions: description }) }
    const offer = { mcp, exchange, made: new mcp.Server({ name, version }, options) }
    offerTools(offer)
    if (server.logging) offerLogging(offer)
    if (server.resources.length > 0) offerResources(offer)
    if (server.prompts.length > 0) offerPrompts(offer)
    return offer.made
  }
  const onerror = (error: Error) => logger.debug({ err: error }, 'An MCP message was refused')
  const handler = mcp.createMcpHandler(makeServer, { onerror, bus: exchange.changes })
  return handler.fetch(exchange.request, { parsedBody: exchange.body })
}
