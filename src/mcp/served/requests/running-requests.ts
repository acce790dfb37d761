import type * as Mcp from '@modelcontextprotocol/server'
import type { McpExchange } from '../exchange.ts'
import { registerLogging } from '../register-logging.ts'
import { registerPrompts } from '../register-prompts.ts'
import { registerResources } from '../register-resources.ts'
import { refusedSubscription, registerTasks } from '../register-tasks.ts'
import { registerTools } from '../register-tools.ts'
import { hasTasks, servedCapabilities } from '../served-capabilities.ts'
import { taskServer, TASKS_EXTENSION } from '../task.ts'

/** Identifies a request. The session is part of it, because two clients may use the same request ids. */
interface RequestKey {
  readonly serverId: string
  readonly userId: string | undefined
  readonly sessionId: string
  readonly requestId: string | number
}

/** Requests in progress that their clients can cancel with `notifications/cancelled`. */
export class RunningRequests {
  readonly #running = new Map<string, AbortController>()

  begin(key: RequestKey): { readonly signal: AbortSignal; end(): void } {
    const text = textOf(key)
    const cancelled = new AbortController()
    this.#running.set(text, cancelled)
    return {
      signal: cancelled.signal,
      end: () => {
        if (this.#running.get(text) === cancelled) this.#running.delete(text)
      },
    }
  }

  /** Cancels a request; does nothing when it has ended or the key is another client's. */
  cancel(key: RequestKey, reason: Error): void {
    this.#running.get(textOf(key))?.abort(reason)
  }
}

function textOf({ serverId, userId, sessionId, requestId }: RequestKey): string {
  return JSON.stringify([serverId, userId ?? null, sessionId, requestId])
}

/** Declared to clients on revision 2026-xx; those before it have other tasks. */
const TASK_CAPABILITIES = { extensions: { [TASKS_EXTENSION]: {} } }

/**
 * Handles one message of Streamable HTTP. Requests are stateless except for the client's session, so each one
 * creates its own SDK server. The SDK is imported with the first request.
 */
export async function handleMcpRequest(exchange: McpExchange): Promise<Response> {
  const mcp = await import('@modelcontextprotocol/server')
  const { server, logger } = exchange
  const { name, version, description } = server
  const refused = hasTasks(server) ? refusedSubscription({ mcp, exchange }) : undefined
  if (refused) return refused
  const createProtocolServer = ({ era }: Mcp.McpRequestContext): Mcp.Server => {
    const withTasks = era === 'modern' && hasTasks(server)
    const capabilities = { ...servedCapabilities(server), ...(withTasks && TASK_CAPABILITIES) }
    const options = { capabilities, ...(description !== undefined && { instructions: description }) }
    const protocolServer = new (withTasks ? taskServer(mcp) : mcp.Server)({ name, version }, options)
    const deps = { mcp, exchange, protocolServer }
    registerTools(deps)
    if (withTasks) registerTasks(deps)
    if (server.logging) registerLogging(deps)
    if (server.resources.length > 0) registerResources(deps)
    if (server.prompts.length > 0) registerPrompts(deps)
    return protocolServer
  }
  const onerror = (error: Error) => logger.debug({ err: error }, 'MCP request rejected')
  const handler = mcp.createMcpHandler(createProtocolServer, { onerror, bus: exchange.changes })
  return handler.fetch(exchange.request, { parsedBody: exchange.body })
}
