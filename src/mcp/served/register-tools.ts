import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import type { Progress } from '../../agent/tools/tool.ts'
import { AppError } from '../../lib/errors.ts'
import type { Offer } from './requests/handle-request.ts'
import { askersFor, type ClientRequest } from './requests/client-requests.ts'
import { askSession } from './requests/session-request.ts'
import { abilitiesOf } from './requests/client-capabilities.ts'
import type { ClientSession } from './sessions/client-sessions.ts'
import { ToolParts } from '../mcp-content.ts'
import { logTeller } from './register-logging.ts'
import { PausableCall } from './requests/input-required.ts'
import { servedTools, toolList, type ServedTool } from './served-tools.ts'

/** Answers `tools/list` and `tools/call`. */
export function offerTools(offer: Offer): void {
  const { mcp, made, exchange } = offer
  made.setRequestHandler('tools/list', () => ({ tools: toolList(exchange.server) }))
  made.setRequestHandler('tools/call', ({ params }, context) => {
    const tool = servedTools(exchange.server).find((one) => one.name === params.name)
    if (!tool)
      throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidParams, `Tool not found: ${params.name}`)
    const call = { offer, tool, input: params.arguments ?? {} }
    return context.mcpReq.envelope ? callInTurns(call, context) : callAtOnce(call, context)
  })
}

interface Call {
  readonly offer: Offer
  readonly tool: ServedTool
  readonly input: unknown
}

/** A client of the 2025 revisions is asked while it waits. */
function callAtOnce(call: Call, context: ServerContext): Promise<CallToolResult> {
  const { mcp, made, exchange } = call.offer
  const { session, life } = exchange
  const ask = (request: ClientRequest, timeoutMs: number) =>
    askSession({ made, session: session as ClientSession, context, signal: life.signal }, request, timeoutMs)
  const askers = session ? askersFor({ mcp, can: session.can, ask }) : {}
  return callTool(call, { context: () => context, askers })
}

/** A client of the 2026 revision is asked by a result, and calls again with its answers. */
function callInTurns(call: Call, context: ServerContext): Promise<CallToolResult | InputRequiredResult> {
  const { mcp, exchange } = call.offer
  const { mcpReq } = context
  const state = mcpReq.requestState()
  // the package refuses any other that is no text
  if (typeof state === 'string') {
    const paused = exchange.paused.take(state, exchange.owner, call.tool.name)
    if (!paused)
      throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState')
    paused.resume(exchange, context)
    return paused.next()
  }
  const pausable = new PausableCall(call.tool.name, { exchange, context })
  const can = abilitiesOf(Reflect.get(mcpReq.envelope ?? {}, mcp.CLIENT_CAPABILITIES_META_KEY))
  const askers = askersFor({ mcp, can, ask: (request, timeoutMs) => pausable.ask(request, timeoutMs) })
  pausable.begin(() => callTool(call, { context: () => pausable.context, askers }))
  return pausable.next()
}

interface ClientOfCall {
  /** Of the exchange that the call is in now. */
  readonly context: () => ServerContext
  readonly askers: ReturnType<typeof askersFor>
}

async function callTool(
  { offer, tool, input }: Call,
  { context, askers }: ClientOfCall,
): Promise<CallToolResult> {
  const { calls, logger } = offer.exchange
  const onLog = logTeller(offer, context)
  const reportProgress = progressTo(context, logger)
  try {
    return asResult(tool, await tool.call(input, calls, { reportProgress, onLog, ...askers }))
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: toldOf(error, tool, logger) }] }
  }
}

/** Progress goes to those who gave it a name. */
function progressTo(
  context: () => ServerContext,
  logger: Logger,
): ((progress: Progress) => void) | undefined {
  if (context().mcpReq._meta?.progressToken === undefined) return undefined
  return (progress) => {
    const { notify, _meta } = context().mcpReq
    const progressToken = _meta?.progressToken
    if (progressToken === undefined) return
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
