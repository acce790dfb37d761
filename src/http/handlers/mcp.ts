import type { mcpEndpoints } from '../../contract/mcp.ts'
import { mcpEndpoints as ENDPOINTS } from '../../contract/mcp.ts'
import type { TraceHeaders } from '../../lib/trace-scope.ts'
import { AppError } from '../../lib/errors.ts'
import { randomHexGenerator } from '../../lib/ids.ts'
import { answerMcp } from '../../mcp/answer.ts'
import { isConnectedMcpServer } from '../../mcp/connected-server.ts'
import { describeMcpServer, mcpTools, summariseMcpServer, type McpServer } from '../../mcp/describe.ts'
import { RunningRequests } from '../../mcp/running-requests.ts'
import { isServedMcpServer, type ServedMcpServer } from '../../mcp/served-server.ts'
import { guard } from '../guard.ts'
import { mcpCalls } from '../mcp-calls.ts'
import { onceRead } from '../once-read.ts'
import type { CheckedRequest, Handler, SentEvent } from '../reply.ts'
import type { Services } from '../services.ts'

type Group = typeof mcpEndpoints
type Message = CheckedRequest<Group['callMcpServer']>

const SESSION = 'Mcp-Session-Id'
const SESSION_BYTES = 16

export function mcpHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const randomHex = randomHexGenerator()
  const running = new RunningRequests()
  const servers = (): McpServer[] => {
    const { mcpServers } = services.served().config
    return mcpServers.flatMap((server) =>
      isServedMcpServer(server) || isConnectedMcpServer(server) ? [server] : [],
    )
  }
  const find = (id: string): McpServer => {
    const found = servers().find((server) => server.id === id)
    if (!found) throw new AppError('not_found', `MCP server not found: ${id}`)
    return found
  }
  const findServed = (id: string): ServedMcpServer => {
    const server = find(id)
    if (server.kind === 'served') return server
    throw new AppError('not_found', `MCP server not found: ${id} is served elsewhere`)
  }
  /** A client of the 2025 revisions takes a request back with a message; it says which by its session. */
  const begin = ({ params, body, headers, user }: Message) => {
    const { id, method, params: details } = body
    const sessionId = headers.get(SESSION)
    if (sessionId === null) return undefined
    const key = { serverId: params.serverId, userId: user?.id, sessionId }
    const { requestId } = details ?? {}
    if (method === 'notifications/cancelled' && isRequestId(requestId))
      running.cancel({ ...key, requestId }, new AppError('unavailable', 'The client took the request back'))
    return method === 'tools/call' && id !== undefined ? running.begin({ ...key, requestId: id }) : undefined
  }
  return {
    listMcpServers: () => servers().map((server) => summariseMcpServer(server)),
    getMcpServer: ({ params }) =>
      describeMcpServer(find(params.serverId), (id) => ENDPOINTS.callMcpServer.path.replace(':serverId', id)),
    listMcpTools: ({ params }) => mcpTools(find(params.serverId)),
    callMcpServer: async (message) => {
      const { params, body, raw, user } = message
      const trace = message.trace.below(traceContext(body.params?.['_meta']))
      const server = findServed(params.serverId)
      const request = begin(message)
      // whoever listens for changes runs nothing, and must not keep the code before the change
      const unhold = body.method === 'subscriptions/listen' ? () => undefined : services.served().hold()
      const release = () => {
        request?.end()
        unhold()
      }
      const cancelled = request?.signal ?? new AbortController().signal
      const response = await onceRead(
        services,
        async (stopping) => {
          const signal = AbortSignal.any([raw.signal, stopping, cancelled])
          const sent = new Request(raw.url, { method: 'POST', headers: raw.headers, signal })
          const calls = mcpCalls(services, { user, signal, cancelled, serverId: server.id, trace })
          const { logger, mcpChanges } = services
          return answerMcp({ server, request: sent, body, logger, calls, changes: mcpChanges.bus(server.id) })
        },
        release,
      )
      if (body.method === 'initialize' && response.ok) response.headers.set(SESSION, randomHex(SESSION_BYTES))
      return response
    },
    listenToMcpServer: ({ params, raw }) => {
      guard(raw, services, true)
      const { id } = findServed(params.serverId)
      const abort = new AbortController()
      const signal = AbortSignal.any([raw.signal, abort.signal])
      return { events: asSent(services.mcpChanges.messages(id, signal)), abort }
    },
  }
}

/** The span of a client that tells it in the message, as it may over any transport. */
function traceContext(meta: unknown): TraceHeaders {
  if (typeof meta !== 'object' || meta === null) return {}
  const { traceparent, tracestate } = meta as Readonly<Record<string, unknown>>
  return {
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    tracestate: typeof tracestate === 'string' ? tracestate : undefined,
  }
}

function isRequestId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

async function* asSent(messages: AsyncGenerator): AsyncGenerator<SentEvent> {
  for await (const message of messages) yield { data: JSON.stringify(message) }
}
