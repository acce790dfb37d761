import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import type { Progress } from '../agent/tool.ts'
import { AppError } from '../lib/errors.ts'
import type { McpExchange, Offer } from './answer.ts'
import { ToolParts } from './mcp-content.ts'
import { servedTools, toolList, type ServedTool } from './served-tools.ts'

/** Answers `tools/list` and `tools/call`. */
export function offerTools({ mcp, made, exchange }: Offer): void {
  made.setRequestHandler('tools/list', () => ({ tools: toolList(exchange.server) }))
  made.setRequestHandler('tools/call', ({ params }, context) => {
    const tool = servedTools(exchange.server).find((one) => one.name === params.name)
    if (!tool)
      throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidParams, `Tool not found: ${params.name}`)
    return callTool(tool, params.arguments ?? {}, { ...exchange, context })
  })
}

interface Call extends McpExchange {
  readonly context: ServerContext
}

async function callTool(tool: ServedTool, input: unknown, call: Call): Promise<CallToolResult> {
  try {
    const result = await tool.call(input, call.calls, { reportProgress: progressTo(call) })
    return asResult(tool, result)
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: toldOf(error, tool, call.logger) }] }
  }
}

/** Progress goes to those who gave it a name. */
function progressTo({ context, logger }: Call): ((progress: Progress) => void) | undefined {
  const { notify, _meta } = context.mcpReq
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return undefined
  return (progress) => {
    notify({ method: 'notifications/progress', params: { ...progress, progressToken } }).catch(
      (error: unknown) => logger.debug({ err: error }, 'Progress could not be told'),
    )
  }
}

function asResult({ givesParts = false }: ServedTool, result: unknown): CallToolResult {
  const parts = givesParts ? ToolParts.safeParse(result) : undefined
  if (parts?.success === true) return parts.data
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
