import { chatFormat } from '../../agent/answer/formats/chat-format.ts'
import { objectFormat } from '../../agent/answer/formats/object-format.ts'
import { textFormat } from '../../agent/answer/formats/text-format.ts'
import type { AnswerFormat } from '../../agent/answer/formats/answer-format.ts'
import { describeAgent, summariseAgent } from '../../agent/describe.ts'
import type { Agent } from '../../agent/agent.ts'
import type { agentEndpoints } from '../../contract/endpoints/agent.ts'
import { PAGE } from '../../contract/fields.ts'
import type { ClientCall } from '../../engine/agents/agent-call.ts'
import type { EventStream, Handler, OutgoingEvent } from '../reply/reply.ts'
import { Reply } from '../reply/reply.ts'
import type { Services } from '../services.ts'

type Group = typeof agentEndpoints

/** The end marker of a UI message stream. */
const DONE: OutgoingEvent = { data: '[DONE]' }

export function agentHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const agents = () => services.current().engine.agents
  const contextOf = (agent: Agent) => ({
    running: agents().isRunning(agent.id),
    served: services.current().registry.isServed(agent),
    settings: { env: process.env, production: services.production },
  })
  const stream = async <Part>(
    agentId: string,
    call: ClientCall,
    { format, end }: { format: AnswerFormat<Part>; end?: OutgoingEvent },
  ): Promise<EventStream> => {
    const abort = new AbortController()
    const signal = AbortSignal.any([call.signal, abort.signal])
    const parts = await agents().stream(agentId, { ...call, signal }, format)
    return { events: toEvents(parts, end), abort }
  }
  return {
    listAgents: () =>
      services.current().registry.usedAgents.map((agent) => summariseAgent(agent, contextOf(agent))),
    getAgent: ({ params }) => {
      const agent = services.current().registry.usedAgent(params.id)
      return describeAgent(agent, contextOf(agent))
    },
    listAgentHistory: async ({ params, query, access }) => {
      const { id: agentId } = services.current().registry.usedAgent(params.id)
      const { page = '1', limit = String(PAGE.defaultLimit), ...exact } = query
      const { history } = services.current().engine
      const own = await access.limit()
      const filter = { agentId, ...exact, ...(own && { userId: own.userId }) }
      const offset = (Number(page) - 1) * Number(limit)
      const records = await history.list(filter, { limit: Number(limit), offset })
      return new Reply(records, { headers: { 'X-Total-Count': String(await history.count(filter)) } })
    },
    generateText: ({ params, body, user, raw: { signal }, trace }) =>
      agents().text(params.id, { ...body, user, signal, trace }),
    streamText: ({ params, body, user, raw: { signal }, trace }) =>
      stream(params.id, { ...body, user, signal, trace }, { format: textFormat }),
    generateObject: ({ params, body, user, raw: { signal }, trace }) =>
      agents().object(params.id, { ...body, user, signal, trace }),
    streamObject: ({ params, body, user, raw: { signal }, trace }) =>
      stream(params.id, { ...body, user, signal, trace }, { format: objectFormat }),
    chat: ({ params, body, user, raw: { signal }, trace }) => {
      const { id: conversationId, messages: input, trigger, messageId } = body
      const options = { ...body.options, conversationId }
      // a single new message continues the stored conversation; several messages, an edited one, or a
      // regeneration replace it
      const isRegenerated = trigger === 'regenerate-message' || typeof messageId === 'string'
      const replacesHistory = isRegenerated || input.length > 1
      const call = { input, inputPath: 'messages', replacesHistory, options, user, signal, trace }
      return stream(params.id, call, { format: chatFormat(input), end: DONE })
    },
  }
}

async function* toEvents(
  parts: AsyncGenerator,
  end: OutgoingEvent | undefined,
): AsyncGenerator<OutgoingEvent> {
  let seq = 0
  for await (const part of parts) yield { seq: ++seq, data: JSON.stringify(part) }
  if (end) yield end
}
