import { agentCard, legacyAgentCard } from '../../a2a/agent-card.ts'
import type { AgentEndpoint, CardSecurity } from '../../a2a/agent-card.ts'
import { handleA2aRequest } from '../../a2a/handle-request.ts'
import type { A2aResponse } from '../../a2a/handle-request.ts'
import { LiveTasks } from '../../a2a/live-tasks.ts'
import { protocolVersion } from '../../a2a/protocol-version.ts'
import { TaskRecords } from '../../a2a/task-records.ts'
import { CONSOLE_KEY_HEADER } from '../../auth/credentials.ts'
import { a2aEndpoints as ENDPOINTS } from '../../contract/endpoints/a2a.ts'
import type { a2aEndpoints } from '../../contract/endpoints/a2a.ts'
import { EVENT_HEADERS, eventStreamBody } from '../reply/event-stream.ts'
import { serverOrigin } from '../request/server-origin.ts'
import type { ValidRequest, Document, Handler, OutgoingEvent } from '../reply/reply.ts'
import type { Services } from '../services.ts'
import { runForClient } from '../request/request-lifetime.ts'

type Group = typeof a2aEndpoints

type CardRequest = Pick<ValidRequest<Group['getAgentCard']>, 'params' | 'query' | 'headers' | 'raw'>

const VERSION = 'A2A-Version'

export function a2aHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const { clock, logger, newId } = services
  const tasks = new LiveTasks({ clock, logger })
  const endpointOf = (agentId: string, request: Request): AgentEndpoint => {
    const path = ENDPOINTS.callA2a.path.replace(':id', agentId)
    const url = serverOrigin(request, services.trustedOrigins()) + path
    return { url, security: securityAt(path, services) }
  }
  const card = ({ params, query, headers, raw }: CardRequest): Document => {
    const agent = services.current().registry.agent(params.id)
    const isLegacy = protocolVersion(query[VERSION] ?? headers.get(VERSION), undefined) === '0.3'
    const found = (isLegacy ? legacyAgentCard : agentCard)(agent, endpointOf(agent.id, raw))
    // the card depends on the request's URL and on the configuration
    const caching = { 'Cache-Control': 'private, no-cache' }
    return { body: JSON.stringify(found), type: 'application/json', headers: caching }
  }
  return {
    getAgentCard: card,
    getWellKnownAgentCard: card,
    callA2a: async ({ params, query, headers, body, raw, user, access, trace }) => {
      const { registry, engine } = services.current()
      const agent = registry.agent(params.id)
      const records = new TaskRecords(engine.history, { agentId: agent.id, user })
      const disconnected = new AbortController()
      const answer = await runForClient(services, raw.signal, (signal) =>
        handleA2aRequest({
          agent,
          agents: engine.agents,
          body,
          logger,
          newId,
          endpoint: endpointOf(agent.id, raw),
          records,
          signal: AbortSignal.any([signal, disconnected.signal]),
          tasks,
          trace,
          user,
          decider: access.decider,
          checkConversation: (id) => access.toConversation(id),
          version: query[VERSION] ?? headers.get(VERSION),
        }),
      )
      return responseOf(answer, disconnected, services.openStreams)
    },
  }
}

/** The credentials that an agent's A2A endpoint requires under the current configuration. */
function securityAt(path: string, services: Services): CardSecurity {
  const { policy } = services.current().gate
  const { callA2a: endpoint } = ENDPOINTS
  switch (policy.requirement({ method: endpoint.method, path }, endpoint)) {
    case 'public':
      return { kind: 'none' }
    case 'console':
      return { kind: 'key', header: CONSOLE_KEY_HEADER }
    default:
      return { kind: 'token', format: policy.provider?.type === 'jwt' ? 'JWT' : undefined }
  }
}

function responseOf(
  answer: A2aResponse,
  abort: AbortController,
  openStreams: Set<AbortController>,
): Response {
  if (answer.kind === 'message') return Response.json(answer.message, { status: answer.status })
  openStreams.add(abort)
  const events = toEvents(answer.messages)
  const body = eventStreamBody({ events, abort }, () => openStreams.delete(abort))
  return new Response(body, { headers: EVENT_HEADERS })
}

async function* toEvents(messages: AsyncGenerator<object>): AsyncGenerator<OutgoingEvent> {
  for await (const message of messages) yield { data: JSON.stringify(message) }
}
