import type { mcpEndpoints } from '../../../contract/endpoints/mcp.ts'
import { AppError } from '../../../lib/errors.ts'
import type { TraceHeaders } from '../../../lib/telemetry/trace-scope.ts'
import type { McpExchange } from '../../../mcp/served/exchange.ts'
import { handleMcpRequest } from '../../../mcp/served/requests/handle-request.ts'
import { CallLifetime } from '../../../mcp/served/requests/call-lifetime.ts'
import { changeNotifications } from '../../../mcp/served/sessions/change-notifications.ts'
import { ClientSessions, type ClientSession } from '../../../mcp/served/sessions/client-sessions.ts'
import { PausedCalls } from '../../../mcp/served/requests/input-required.ts'
import { readSubscriptions } from '../../../mcp/served/sessions/resource-subscriptions.ts'
import { resourceUpdates } from '../../../mcp/served/sessions/resource-updates.ts'
import { RunningRequests } from '../../../mcp/served/requests/running-requests.ts'
import type { ServedMcpServer } from '../../../mcp/served/served-server.ts'
import { checkAccessByOrigin } from '../../request/access.ts'
import { mcpCalls } from './mcp-calls.ts'
import { streamResponse } from '../../request/request-lifetime.ts'
import type { ValidRequest, EventStream, SentEvent } from '../../reply/reply.ts'
import type { Services } from '../../services.ts'

type Message = ValidRequest<(typeof mcpEndpoints)['callMcpServer']>
type Listen = ValidRequest<(typeof mcpEndpoints)['listenToMcpServer']>

const SESSION = 'Mcp-Session-Id'

/** Where served MCP servers answer. */
export class McpEndpoint {
  readonly #services: Services
  readonly #running = new RunningRequests()
  readonly #sessions = new ClientSessions()
  readonly #paused = new PausedCalls()

  constructor(services: Services) {
    this.#services = services
  }

  async answer(server: ServedMcpServer, message: Message): Promise<Response> {
    const { body, headers, user } = message
    const session = this.#sessionOf(message)
    if (isAnswer(body) && headers.has(SESSION)) {
      if (!session) throw new AppError('not_found', 'MCP session not found: begin another with initialize')
      session.pendingRequests.settle(body)
      return new Response(null, { status: 202 })
    }
    const response = await this.#exchange(server, message, session)
    if (body.method === 'initialize' && response.ok) {
      const opened = this.#sessions.create({ serverId: server.id, user }, body.params?.['capabilities'])
      response.headers.set(SESSION, opened.id)
    }
    return response
  }

  /** A stream of changes. A client has one for each session: another one ends it. */
  listen({ id }: ServedMcpServer, request: Listen): EventStream {
    const { raw, user } = request
    checkAccessByOrigin(raw, this.#services, true)
    const abort = new AbortController()
    const signal = AbortSignal.any([raw.signal, abort.signal])
    const session = this.#sessionOf(request)
    if (session && raw.method === 'GET') {
      session.listener?.abort()
      session.listener = abort
    }
    const bus = this.#changes(id, user, session?.subscriptions)
    return { events: asSent(changeNotifications(bus, signal)), abort }
  }

  #sessionOf({ params, headers, user }: Message | Listen): ClientSession | undefined {
    const id = headers.get(SESSION)
    return id === null ? undefined : this.#sessions.find(id, { serverId: params.serverId, user })
  }

  #changes(
    serverId: string,
    user: Message['user'],
    subscriptions: ClientSession['subscriptions'] | undefined,
  ) {
    const { mcpChanges: changes, logger } = this.#services
    if (!subscriptions) return changes.bus(serverId)
    const context = { user, userId: user?.id, logger: logger.child({ mcpServer: serverId }) }
    return changes.bus(serverId, resourceUpdates({ serverId, subscriptions, changes, ...context }))
  }

  async #exchange(server: ServedMcpServer, message: Message, session: ClientSession | undefined) {
    const services = this.#services
    const { body, raw, user } = message
    const trace = message.trace.below(traceContext(body.params?.['_meta']))
    const request = this.#begin(message)
    const listens = body.method === 'subscriptions/listen'
    const subscriptions = listens ? readSubscriptions(body.params?.['notifications']) : undefined
    // whoever listens for changes runs nothing, and must not keep the code before the change
    const { hold } = services.current()
    const unhold = listens ? () => undefined : hold()
    const release = () => {
      request?.end()
      unhold()
    }
    const cancelled = request?.signal ?? new AbortController().signal
    return streamResponse(
      services,
      async (stopping) => {
        const signal = AbortSignal.any([raw.signal, stopping, cancelled])
        const sent = new Request(raw.url, { method: 'POST', headers: raw.headers, signal })
        const owner = { serverId: server.id, user }
        const life = new CallLifetime(signal)
        return handleMcpRequest({
          server,
          request: sent,
          body,
          signal,
          session,
          owner,
          lifetime: life,
          calls: mcpCalls(services, { ...owner, signal: life.signal, cancelled, trace }),
          changes: this.#changes(server.id, user, subscriptions),
          paused: this.#paused,
          retain: () => outlive(services, hold),
          logger: services.logger,
        })
      },
      release,
    )
  }

  /** A client of the 2025 revisions takes a request back with a message; it says which by its session. */
  #begin({ params, body, headers, user }: Message) {
    const { id, method, params: details } = body
    const sessionId = headers.get(SESSION)
    if (sessionId === null) return undefined
    const key = { serverId: params.serverId, userId: user?.id, sessionId }
    const { requestId } = details ?? {}
    if (method === 'notifications/cancelled' && isRequestId(requestId))
      this.#running.cancel(
        { ...key, requestId },
        new AppError('unavailable', 'The client took the request back'),
      )
    return method === 'tools/call' && id !== undefined
      ? this.#running.begin({ ...key, requestId: id })
      : undefined
  }
}

/** What a call needs that goes on without an exchange: its code, and to be told when the server stops. */
function outlive({ openStreams }: Services, hold: () => () => void): ReturnType<McpExchange['retain']> {
  const stopping = new AbortController()
  const unhold = hold()
  openStreams.add(stopping)
  const end = () => {
    openStreams.delete(stopping)
    unhold()
  }
  return { signal: stopping.signal, end }
}

/** A response to what the server asked. */
function isAnswer(body: Message['body']): boolean {
  return body.method === undefined && ('result' in body || 'error' in body)
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
