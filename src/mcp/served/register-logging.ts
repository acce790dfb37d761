import type { LoggingLevel, ServerContext } from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import type { LogLevel, LogRecord } from '../../contract/endpoints/log.ts'
import { requireSession } from './exchange.ts'
import type { HandlerDeps } from './exchange.ts'

/** The levels of the protocol, from low to high (MCP 2025-11-25, server/utilities/logging). */
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const

const LEVEL_OF = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warning',
  error: 'error',
  fatal: 'critical',
} as const satisfies Record<LogLevel, LoggingLevel>

/** The maximum number of records sent per call, to bound the memory used when a client reads slowly. */
const MAX_RECORDS = 1000

/** Handles `logging/setLevel`. The level applies to the session. */
export function registerLogging(deps: HandlerDeps): void {
  deps.protocolServer.setRequestHandler('logging/setLevel', ({ params: { level } }) => {
    requireSession(deps).level = level
    return {}
  })
}

/**
 * A function that sends log records of a tool to the client of its call; `undefined` when the client did not set a
 * minimum level.
 */
export function logNotifier(
  { mcp, exchange }: Pick<HandlerDeps, 'mcp' | 'exchange'>,
  context: () => ServerContext,
): ((record: LogRecord) => void) | undefined {
  const { session, server, logger } = exchange
  const level = session?.level ?? requestedLevel(context().mcpReq.envelope, mcp.LOG_LEVEL_META_KEY)
  if (!server.logging || level === undefined) return undefined
  let count = 0
  return (record) => {
    if (LEVELS.indexOf(LEVEL_OF[record.level]) < LEVELS.indexOf(level) || ++count > MAX_RECORDS) return
    const params = count < MAX_RECORDS ? messageOf(record) : lastMessage(record)
    context().mcpReq.notify({ method: 'notifications/message', params }).catch(notifyFailed(logger))
  }
}

/** Clients on revision 2026-xx send the minimum level with each request. */
function requestedLevel(envelope: object | undefined, key: string): LoggingLevel | undefined {
  const wanted: unknown = envelope && Reflect.get(envelope, key)
  return LEVELS.find((level) => level === wanted)
}

function notifyFailed(logger: Logger): (error: unknown) => void {
  return (error) => logger.debug({ err: error }, 'A log record of a tool could not be sent to its client')
}

function messageOf({ level, message, attributes }: LogRecord) {
  const { mcpServer: _, toolName, mcpCall: __, ...logged } = attributes
  const rest = withoutStacks(logged)
  const isPlain = Object.keys(rest).length === 0
  return { level: LEVEL_OF[level], logger: String(toolName), data: isPlain ? message : { message, ...rest } }
}

function lastMessage({ attributes }: LogRecord) {
  const data = `At most ${MAX_RECORDS} log records are sent per call; later records are dropped`
  return { level: 'warning' as const, logger: String(attributes['toolName']), data }
}

/** Stack traces are only written to the server's own log. */
function withoutStacks(logged: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(logged, (key, value: unknown) => (key === 'stack' ? undefined : value)),
  ) as Record<string, unknown>
}
