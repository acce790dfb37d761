import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import type { ToolProgress } from '../../agent/tools/tool.ts'
import { AppError } from '../../lib/errors.ts'
import type { HandlerDeps } from './exchange.ts'
import { clientRequestFunctions } from './requests/client-requests.ts'
import type { ClientRequest } from './requests/client-requests.ts'
import { sendSessionRequest } from './requests/session-request.ts'
import { readClientCapabilities } from './requests/client-capabilities.ts'
import { ToolParts } from '../mcp-content.ts'
import { logNotifier } from './register-logging.ts'
import { InputRequiredCall } from './requests/input-required.ts'
import type { ServedTool } from './served-tool.ts'
import { servedTools, toolList } from './served-tools.ts'
import { declaresTasks, taskFields } from './task.ts'

/** Handles `tools/list` and `tools/call`. */
export function registerTools(deps: HandlerDeps): void {
  const { mcp, protocolServer, exchange } = deps
  protocolServer.setRequestHandler('tools/list', () => ({ tools: toolList(exchange.server) }))
  protocolServer.setRequestHandler('tools/call', ({ params }, context) => {
    const tool = servedTools(exchange.server).find((one) => one.name === params.name)
    if (!tool)
      throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidParams, `Tool not found: ${params.name}`)
    const call = { deps, tool, input: params.arguments ?? {} }
    const { envelope } = context.mcpReq
    if (tool.startTask && declaresTasks(mcp, envelope)) return callAsTask(call, tool.startTask)
    return envelope ? callInRounds(call, context) : callInSession(call, context)
  })
}

interface Call {
  readonly deps: HandlerDeps
  readonly tool: ServedTool
  readonly input: unknown
}

/** The result is a task: the client polls for that of the tool. What can't be started is an error of the tool. */
async function callAsTask(
  { deps: { exchange }, tool, input }: Call,
  start: NonNullable<ServedTool['startTask']>,
): Promise<CallToolResult> {
  try {
    const started = await start(input, exchange.calls)
    if ('value' in started) return toResult(tool, started.value)
    const task = { resultType: 'task', status: 'working', ...taskFields(started.task) }
    return task as unknown as CallToolResult
  } catch (error) {
    return errorResult(error, tool, exchange.logger)
  }
}

/** Requests to a client on revision 2025-xx are sent while it waits for the result of the call. */
function callInSession(call: Call, context: ServerContext): Promise<CallToolResult> {
  const { mcp, protocolServer, exchange } = call.deps
  const { session, lifetime } = exchange
  if (!session) return runTool(call, { context: () => context, functions: {} })
  const options = { protocolServer, session, context, signal: lifetime.signal }
  const send = (request: ClientRequest, timeoutMs: number) => sendSessionRequest(options, request, timeoutMs)
  const functions = clientRequestFunctions({ mcp, capabilities: session.capabilities, send })
  return runTool(call, { context: () => context, functions })
}

/** Requests to a client on revision 2026-xx are returned as a result; it calls again with its responses. */
function callInRounds(call: Call, context: ServerContext): Promise<CallToolResult | InputRequiredResult> {
  const { mcp, exchange } = call.deps
  const { mcpReq } = context
  const state = mcpReq.requestState()
  // the SDK rejects a state that is not a string
  if (typeof state === 'string') {
    const paused = exchange.paused.take(state, exchange.owner, call.tool.name)
    if (!paused)
      throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState')
    paused.resume(exchange, context)
    return paused.next()
  }
  const pausable = new InputRequiredCall(call.tool.name, { exchange, context })
  const declared: unknown = Reflect.get(mcpReq.envelope ?? {}, mcp.CLIENT_CAPABILITIES_META_KEY)
  const functions = clientRequestFunctions({
    mcp,
    capabilities: readClientCapabilities(declared),
    send: (request, timeoutMs) => pausable.send(request, timeoutMs),
  })
  pausable.start(() => runTool(call, { context: () => pausable.context, functions }))
  return pausable.next()
}

interface CallClient {
  /** The context of the call's current exchange. */
  readonly context: () => ServerContext
  /** The functions that send requests to the client. */
  readonly functions: ReturnType<typeof clientRequestFunctions>
}

async function runTool(
  { deps, tool, input }: Call,
  { context, functions }: CallClient,
): Promise<CallToolResult> {
  const { calls, logger } = deps.exchange
  const onLog = logNotifier(deps, context)
  const reportProgress = progressReporter(context, logger)
  try {
    return toResult(tool, await tool.call(input, calls, { reportProgress, onLog, ...functions }))
  } catch (error) {
    return errorResult(error, tool, logger)
  }
}

/** A function that sends progress; `undefined` when the client sent no progress token. */
function progressReporter(
  context: () => ServerContext,
  logger: Logger,
): ((progress: ToolProgress) => void) | undefined {
  if (context().mcpReq._meta?.progressToken === undefined) return undefined
  return (progress) => {
    const { notify, _meta } = context().mcpReq
    const progressToken = _meta?.progressToken
    if (progressToken === undefined) return
    notify({ method: 'notifications/progress', params: { ...progress, progressToken } }).catch(
      (error: unknown) => logger.debug({ err: error }, 'Progress could not be sent to an MCP client'),
    )
  }
}

/** What a tool returned, as the result of its call. */
export function toResult(
  { returnsContent = false }: Pick<ServedTool, 'returnsContent'>,
  result: unknown,
): CallToolResult {
  const parts = returnsContent ? ToolParts.safeParse(result) : undefined
  if (parts?.success === true) return parts.data
  const text = typeof result === 'string' ? result : JSON.stringify(result)
  const isObject = typeof result === 'object' && result !== null && !Array.isArray(result)
  return {
    content: [{ type: 'text', text }],
    ...(isObject && { structuredContent: result }),
  }
}

/** The result of a call that has failed. The details of server errors are only logged. */
function errorResult(error: unknown, { name }: ServedTool, logger: Logger): CallToolResult {
  if (!isPublic(error) || error.status >= 500) {
    const err = isPublic(error) && error.cause !== undefined ? error.cause : error
    logger.warn({ err }, `MCP tool "${name}" failed`)
  }
  return { isError: true, content: [{ type: 'text', text: publicText(error, name) }] }
}

/** The message of an error of a tool that the client receives. */
export function publicText(error: unknown, tool: string): string {
  if (!isPublic(error)) return `Tool "${tool}" failed`
  const execution = error.headers['X-Execution-Id']
  return error.status < 500 || execution === undefined
    ? error.message
    : `${error.message} (execution ${execution})`
}

function isPublic(error: unknown): error is AppError {
  return error instanceof AppError && error.code !== 'internal'
}
