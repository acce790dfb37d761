import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import type { Progress } from '../agent/tool.ts'
import { AppError } from '../lib/errors.ts'
import type { Offer } from './answer.ts'
import { askersFor, type ClientRequest } from './ask-client.ts'
import { askSession } from './ask-session.ts'
import { ToolParts } from './mcp-content.ts'
import { logTeller } from './offer-logging.ts'
import { servedTools, toolList, type ServedTool } from './served-tools.ts'

/** Answers `tools/list` and `tools/call`. */
export function offerTools(offer: Offer): void {
  const { mcp, made, exchange } = offer
  made.setRequestHandler('tools/list', () => ({ tools: toolList(exchange.server) }))
  made.setRequestHandler('tools/call', ({ params }, context) => {
    const tool = servedTools(exchange.server).find((one) => one.name === params.name)
    if (!tool)
      throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidParams, `Tool not found: ${params.name}`)
    return callTool(tool, params.arguments ?? {}, { ...offer, context })
  })
}

interface Call extends Offer {
  readonly context: ServerContext
}

async function callTool(tool: ServedTool, input: unknown, call: Call): Promise<CallToolResult> {
  const { calls, logger } = call.exchange
  const onLog = logTeller(call, call.context)
  try {
    const result = await tool.call(input, calls, { reportProgress: progressTo(call), onLog, ...askers(call) })
    return asResult(tool, result)
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: toldOf(error, tool, logger) }] }
  }
}

function askers({ mcp, made, exchange, context }: Call): ReturnType<typeof askersFor> {
  const { session, signal } = exchange
  if (!session) return {}
  const ask = (request: ClientRequest, timeoutMs: number) =>
    askSession({ made, session, context, signal }, request, timeoutMs)
  return askersFor({ mcp, can: session.can, ask })
}

/** Progress goes to those who gave it a name. */
function progressTo({ context, exchange }: Call): ((progress: Progress) => void) | undefined {
  const { notify, _meta } = context.mcpReq
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return undefined
  return (progress) => {
    notify({ method: 'notifications/progress', params: { ...progress, progressToken } }).catch(
      (error: unknown) => exchange.logger.debug({ err: error }, 'Progress could not be told'),
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
