import type { CallToolResult, Server, ServerEventBus } from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import { AppError } from '../lib/errors.ts'
import type { ServedMcpServer } from './served-server.ts'
import { SERVED_CAPABILITIES, servedTools, type McpCalls, type ServedTool } from './served-tools.ts'

export interface McpExchange {
  readonly server: ServedMcpServer
  /** Its body was read. */
  readonly request: Request
  readonly body: unknown
  readonly calls: McpCalls
  /** Told when another configuration gives the server other tools. */
  readonly changes: ServerEventBus
  readonly logger: Logger
}

/**
 * Answers one message of Streamable HTTP. Nothing is kept between two: what a client sends says all there is to
 * know. The packages load with the first message.
 */
export async function answerMcp(exchange: McpExchange): Promise<Response> {
  const mcp = await import('@modelcontextprotocol/server')
  const { name, version, description } = exchange.server
  const tools = servedTools(exchange.server)
  const makeServer = (): Server => {
    const options = {
      capabilities: SERVED_CAPABILITIES,
      ...(description !== undefined && { instructions: description }),
    }
    const made = new mcp.Server({ name, version }, options)
    made.setRequestHandler('tools/list', () => ({ tools: tools.map(({ call: _, ...tool }) => tool) }))
    made.setRequestHandler('tools/call', ({ params }) => {
      const tool = tools.find((one) => one.name === params.name)
      if (!tool)
        throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidParams, `Tool not found: ${params.name}`)
      return callTool(tool, params.arguments ?? {}, exchange)
    })
    return made
  }
  const onerror = (error: Error) => exchange.logger.debug({ err: error }, 'An MCP message was refused')
  const handler = mcp.createMcpHandler(makeServer, { onerror, bus: exchange.changes })
  return handler.fetch(exchange.request, { parsedBody: exchange.body })
}

async function callTool(
  tool: ServedTool,
  input: unknown,
  { calls, logger }: McpExchange,
): Promise<CallToolResult> {
  try {
    return asResult(await tool.call(input, calls))
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: toldOf(error, tool, logger) }] }
  }
}

function asResult(result: unknown): CallToolResult {
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  const isObject = typeof result === 'object' && result !== null && !Array.isArray(result)
  return {
    content: [{ type: 'text', text }],
    ...(isObject && { structuredContent: result }),
  }
}

/** What the client is told of a failure; what is not for it goes to the log. */
function toldOf(error: unknown, { name }: ServedTool, logger: Logger): string {
  if (error instanceof AppError && error.status < 500) return error.message
  const isTold = error instanceof AppError && error.code !== 'internal'
  logger.warn({ err: isTold && error.cause !== undefined ? error.cause : error }, `MCP tool "${name}" failed`)
  if (!isTold) return `Tool "${name}" failed`
  const execution = error.headers['X-Execution-Id']
  return execution === undefined ? error.message : `${error.message} (execution ${execution})`
}
