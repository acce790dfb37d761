import type { LoggingLevel, ServerContext } from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import type { LogLevel, LogRecord } from '../../contract/endpoints/log.ts'
import type { Offer } from './requests/handle-request.ts'
import type { ClientSession } from './sessions/client-sessions.ts'

/** From the most talkative on (MCP 2025-11-25, server/utilities/logging). */
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const

const LEVEL_OF = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warning',
  error: 'error',
  fatal: 'critical',
} as const satisfies Record<LogLevel, LoggingLevel>

/** Records of one call: a client that reads slowly must not pile them up here. */
const MOST_RECORDS = 1000

/** Answers `logging/setLevel`. The level is the session's. */
export function offerLogging(offer: Offer): void {
  offer.made.setRequestHandler('logging/setLevel', ({ params: { level } }) => {
    sessionOf(offer).level = level
    return {}
  })
}

/** The session of a client that asks for what needs one. */
export function sessionOf({ mcp, exchange }: Pick<Offer, 'mcp' | 'exchange'>): ClientSession {
  const { session } = exchange
  if (session) return session
  const message = 'This needs the session that initialize began: send its Mcp-Session-Id'
  throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidRequest, message)
}

/** Tells the client of a call what its tool logs; nothing where the client did not ask for it. */
export function logTeller(
  { mcp, exchange }: Pick<Offer, 'mcp' | 'exchange'>,
  context: () => ServerContext,
): ((record: LogRecord) => void) | undefined {
  const { session, server, logger } = exchange
  const level = session?.level ?? levelIn(context().mcpReq.envelope, mcp.LOG_LEVEL_META_KEY)
  if (!server.logging || level === undefined) return undefined
  let told = 0
  return (record) => {
    if (LEVELS.indexOf(LEVEL_OF[record.level]) < LEVELS.indexOf(level) || ++told > MOST_RECORDS) return
    const params = told < MOST_RECORDS ? messageOf(record) : lastMessage(record)
    context().mcpReq.notify({ method: 'notifications/message', params }).catch(untold(logger))
  }
}

/** A client of 2026 says with each request what it wants to be told. */
function levelIn(envelope: object | undefined, key: string): LoggingLevel | undefined {
  const wanted: unknown = envelope && Reflect.get(envelope, key)
  return LEVELS.find((level) => level === wanted)
}

function untold(logger: Logger): (error: unknown) => void {
  return (error) => logger.debug({ err: error }, 'What a tool logged could not be told')
}

function messageOf({ level, message, attributes }: LogRecord) {
  const { mcpServer: _, toolName, mcpCall: __, ...logged } = attributes
  const rest = withoutStacks(logged)
  const isPlain = Object.keys(rest).length === 0
  return { level: LEVEL_OF[level], logger: String(toolName), data: isPlain ? message : { message, ...rest } }
}

function lastMessage({ attributes }: LogRecord) {
  const data = `Of one call, ${MOST_RECORDS} records are told at most; the others are left out`
  return { level: 'warning' as const, logger: String(attributes['toolName']), data }
}

/** Where in the code an error came from is for the log only. */
function withoutStacks(logged: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(logged, (key, value: unknown) => (key === 'stack' ? undefined : value)),
  ) as Record<string, unknown>
}
