import { ATTRIBUTE } from '../../../contract/attributes.ts'
import type { mcpEndpoints } from '../../../contract/endpoints/mcp.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Attributes, TraceHeaders } from '../../../lib/telemetry/trace-scope.ts'
import type { McpExchange } from '../../../mcp/served/exchange.ts'
import { handleMcpRequest, RunningRequests } from '../../../mcp/served/requests/running-requests.ts'
import { LinkedAbort } from '../../../lib/async/linked-abort.ts'
import { changeNotifications } from '../../../mcp/served/sessions/change-notifications.ts'
import { ClientSessions } from '../../../mcp/served/sessions/client-sessions.ts'
import type { ClientSession } from '../../../mcp/served/sessions/client-sessions.ts'
import { PausedCalls } from '../../../mcp/served/requests/input-required.ts'
import { readSubscriptions } from '../../../mcp/served/sessions/resource-subscriptions.ts'
import { resourceUpdates } from '../../../mcp/served/sessions/resource-updates.ts'

import type { ServedMcpServer } from '../../../mcp/served/served-server.ts'
import { usesSessions } from '../../../mcp/served/served-capabilities.ts'
import { mcpCalls } from './mcp-calls.ts'
import { streamResponse } from '../../request/request-lifetime.ts'
import type { ValidRequest, EventStream, OutgoingEvent } from '../../reply/reply.ts'
import type { Services } from '../../services.ts'

type Message = ValidRequest<(typeof mcpEndpoints)['callMcpServer']>
type Listen = ValidRequest<(typeof mcpEndpoints)['listenToMcpServer']>

const SESSION = 'Mcp-Session-Id'

/** Handles the Streamable HTTP transport of served MCP servers. */
export class McpEndpoint {
  readonly #services: Services
  readonly #running = new RunningRequests()
  readonly #sessions = new ClientSessions()
  readonly #paused = new PausedCalls()

  constructor(services: Services) {
    this.#services = services
  }

  /** Handles a message: a request, a notification, or the client's response to a request of the server. */
  async handle(server: ServedMcpServer, message: Message): Promise<Response> {
    const { body, user } = message
    const isNeeded = () => isResponse(body) || (body.method !== 'initialize' && usesSessions(server))
    const session = this.#sessionOf(server, message, isNeeded)
    if (session && isResponse(body)) {
      session.pendingRequests.settle(body)
      return new Response(null, { status: 202 })
    }
    const response = await this.#exchange(server, message, session)
    if (body.method === 'initialize' && response.ok) {
      const created = this.#sessions.create({ serverId: server.id, user }, body.params?.['capabilities'])
      response.headers.set(SESSION, created.id)
    }
    return response
  }

  /** Streams change notifications. A session has one stream; a new one ends the previous one. */
  listen(server: ServedMcpServer, request: Listen): EventStream {
    const { raw, user } = request
    const abort = new AbortController()
    const signal = AbortSignal.any([raw.signal, abort.signal])
    const session = this.#sessionOf(server, request, () => usesSessions(server))
    if (session && raw.method === 'GET') {
      session.listener?.abort()
      session.listener = abort
    }
    const bus = this.#changes(server.id, user, session?.subscriptions)
    return { events: toEvents(changeNotifications(bus, signal)), abort }
  }

  /** @throws AppError `not_found` when a message needs its session and there is none with this id. */
  #sessionOf(
    { id: serverId }: ServedMcpServer,
    { headers, user }: Message | Listen,
    isNeeded: () => boolean,
  ): ClientSession | undefined {
    const id = headers.get(SESSION)
    if (id === null) return undefined
    const session = this.#sessions.find(id, { serverId, user })
    if (!session && isNeeded())
      throw new AppError('not_found', 'MCP session not found: start a new one with initialize')
    return session
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
    const { body, raw, user, access } = message
    const trace = message.trace.fromHeaders(traceContext(body.params?.['_meta']))
    const connection = connectionAttributes(message, session)
    const running = this.#track(message)
    const listens = body.method === 'subscriptions/listen'
    const subscriptions = listens ? readSubscriptions(body.params?.['notifications']) : undefined
    // a stream of notifications runs no user code, and must not keep an old generation from being disposed
    const { hold } = services.current()
    const releaseHold = listens ? () => undefined : hold()
    const release = () => {
      running?.end()
      releaseHold()
    }
    const cancelled = running?.signal ?? new AbortController().signal
    return streamResponse(
      services,
      async (stopping) => {
        const signal = AbortSignal.any([raw.signal, stopping, cancelled])
        const request = new Request(raw.url, { method: 'POST', headers: raw.headers, signal })
        const owner = { serverId: server.id, user }
        const lifetime = new LinkedAbort(signal)
        return handleMcpRequest({
          server,
          request,
          body,
          signal,
          session,
          owner,
          lifetime,
          calls: mcpCalls(services, {
            server,
            user,
            access,
            signal: lifetime.signal,
            cancelled,
            trace,
            connection,
          }),
          changes: this.#changes(server.id, user, subscriptions),
          paused: this.#paused,
          retain: () => retainGeneration(services, hold),
          logger: services.logger,
        })
      },
      release,
    )
  }

  /** Tracks a tool call by its session, and cancels one by `notifications/cancelled` (revisions of 2025). */
  #track({ params, body, headers, user }: Message) {
    const { id, method, params: details } = body
    const sessionId = headers.get(SESSION)
    if (sessionId === null) return undefined
    const key = { serverId: params.serverId, userId: user?.id, sessionId }
    const { requestId } = details ?? {}
    if (method === 'notifications/cancelled' && isRequestId(requestId))
      this.#running.cancel(
        { ...key, requestId },
        new AppError('unavailable', 'The client cancelled the request'),
      )
    return method === 'tools/call' && id !== undefined
      ? this.#running.begin({ ...key, requestId: id })
      : undefined
  }
}

/** Holds the generation for a call that outlives its request. The signal aborts when the server stops. */
function retainGeneration(
  { openStreams }: Services,
  hold: () => () => void,
): ReturnType<McpExchange['retain']> {
  const stopping = new AbortController()
  const releaseHold = hold()
  openStreams.add(stopping)
  const end = () => {
    openStreams.delete(stopping)
    releaseHold()
  }
  return { signal: stopping.signal, end }
}

/** Whether a message is a response to a request of the server. */
function isResponse(body: Message['body']): boolean {
  return body.method === undefined && ('result' in body || 'error' in body)
}

function connectionAttributes({ body, headers }: Message, session: ClientSession | undefined): Attributes {
  const { id } = body
  return {
    [ATTRIBUTE.rpcRequestId]: isRequestId(id) ? String(id) : undefined,
    [ATTRIBUTE.mcpProtocolVersion]: headers.get('Mcp-Protocol-Version') ?? undefined,
    [ATTRIBUTE.mcpSessionId]: session?.id,
    [ATTRIBUTE.transport]: 'tcp',
    [ATTRIBUTE.protocol]: 'http',
  }
}

/** The trace context of a client that sends it in `_meta`, which works over any transport. */
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

async function* toEvents(messages: AsyncGenerator): AsyncGenerator<OutgoingEvent> {
  for await (const message of messages) yield { data: JSON.stringify(message) }
}
