import { ENDPOINTS } from '../../contract/index.ts'
import type { openaiEndpoints } from '../../contract/endpoints/openai.ts'
import type { ModelTarget, OpenaiExchange, OpenaiReply } from '../../openai/exchange.ts'
import { eraseRecords } from '../erase-records.ts'
import { eventStreamResponse } from '../reply/event-stream.ts'
import type { Handler, ValidRequest } from '../reply/reply.ts'
import { runForClient } from '../request/request-lifetime.ts'
import type { Services } from '../services.ts'

type Group = typeof openaiEndpoints

type Request = Pick<ValidRequest, 'reach' | 'user' | 'trace' | 'raw'>

export function openaiHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const exchangeOf = ({ reach, user, trace }: Request, signal: AbortSignal): OpenaiExchange => {
    const { engine, registry, config, gate } = services.current()
    return {
      engine,
      registry,
      reach: (target) => {
        const { endpoint, path } = routeOf(target)
        return reach(endpoint, path)
      },
      user,
      hasUsers: gate.policy.mode !== 'none',
      systemMessages: config.openai === false ? 'append' : config.openai.systemMessages,
      trace,
      signal,
      newId: services.newId,
      erase: async (records) => {
        await eraseRecords(services, records)
        await engine.erasure.purge()
      },
      now: () => services.clock.now(),
    }
  }
  const respond = async (
    request: Request,
    answer: (exchange: OpenaiExchange) => Promise<OpenaiReply>,
  ): Promise<Response> => {
    const disconnected = new AbortController()
    const reply = await runForClient(services, request.raw.signal, (signal) =>
      answer(exchangeOf(request, AbortSignal.any([signal, disconnected.signal]))),
    )
    return responseOf(reply, disconnected, services.openStreams)
  }
  const model = async (id: string, request: Request) => {
    const { describeModel, requireModel } = await import('../../openai/models.ts')
    const { load } = services.current()
    return respond(request, async (exchange) => {
      const { target } = await requireModel(id, exchange)
      return { kind: 'json', body: describeModel(target, load.at) }
    })
  }
  return {
    listModels: async (request) => {
      const { describeModel, usableModels } = await import('../../openai/models.ts')
      const { load } = services.current()
      return respond(request, async (exchange) => {
        const models = await usableModels(exchange)
        const data = models.map((target) => describeModel(target, load.at))
        return { kind: 'json', body: { object: 'list', data } }
      })
    },
    getModel: (request) => model(request.params.id, request),
    getWorkflowModel: (request) => model(`workflow/${request.params.id}`, request),
    createChatCompletion: async (request) => {
      const { completeChat } = await import('../../openai/chat/chat-completion.ts')
      return respond(request, (exchange) => completeChat(request.body, exchange))
    },
    createResponse: async (request) => {
      const { startResponse } = await responses()
      return respond(request, (exchange) => startResponse(request.body, exchange))
    },
    getResponse: async (request) => {
      const { getResponse } = await responses()
      return respond(request, (exchange) => getResponse(request.params.id, exchange))
    },
    cancelResponse: async (request) => {
      const { cancelResponse } = await responses()
      return respond(request, (exchange) => cancelResponse(request.params.id, exchange))
    },
    deleteResponse: async (request) => {
      const { deleteResponse } = await responses()
      return respond(request, (exchange) => deleteResponse(request.params.id, exchange))
    },
  }
}

const responses = () => import('../../openai/responses/responses.ts')

/** The server's own route of a model, whose rules hold for the model. */
function routeOf({ kind, id }: ModelTarget) {
  const endpoint = kind === 'agent' ? ENDPOINTS.generateText : ENDPOINTS.executeWorkflow
  return { endpoint, path: endpoint.path.replace(':id', () => id) }
}

function responseOf(reply: OpenaiReply, abort: AbortController, openStreams: Set<AbortController>): Response {
  if (reply.kind === 'json') return Response.json(reply.body, { headers: reply.headers ?? {} })
  return eventStreamResponse({ events: reply.events, abort }, { openStreams, headers: reply.headers })
}
