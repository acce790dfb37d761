import { chatFormat } from '../../agent/answer/formats/chat-format.ts'
import { objectFormat } from '../../agent/answer/formats/object-format.ts'
import { objectTextFormat } from '../../agent/answer/formats/object-text-format.ts'
import { textFormat } from '../../agent/answer/formats/text-format.ts'
import type { AnswerFormat } from '../../agent/answer/formats/answer-format.ts'
import { describeAgent, summariseAgent } from '../../agent/describe.ts'
import type { Agent } from '../../agent/agent.ts'
import type { agentEndpoints } from '../../contract/endpoints/agent.ts'
import { PAGE } from '../../contract/fields.ts'
import { chatResponses } from '../../engine/agents/responses/chat-responses.ts'
import { passOn } from '../../lib/async/pass-on.ts'
import type { ClientCall } from '../../engine/agents/agent-call.ts'
import type { ContinueCall } from '../../engine/agents/agents.ts'
import { acceptsEvents } from '../request/accepts-events.ts'
import { CHAT_END, objectText, streamed } from '../reply/part-events.ts'
import type { EventStream, Handler, OutgoingEvent } from '../reply/reply.ts'
import { Reply } from '../reply/reply.ts'

import type { Services } from '../services.ts'

type Group = typeof agentEndpoints

/** The format of an answer whose request is stored. */
const format = (isObject: boolean): AnswerFormat<unknown> => (isObject ? objectFormat : textFormat)

export function agentHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const agents = () => services.current().engine.agents
  const contextOf = (agent: Agent, running: ReadonlySet<string>) => ({
    running: running.has(agent.id),
    served: services.current().registry.isServed(agent),
    settings: { env: process.env, production: services.production },
  })
  const continued = async (
    agentId: string,
    call: ContinueCall,
    { headers, raw: { signal } }: Pick<Parameters<Handler<Group['resumeRun']>>[0], 'headers' | 'raw'>,
  ) =>
    acceptsEvents(headers)
      ? streamed(signal, (both) => agents().continueStreamed(agentId, { ...call, signal: both, format }))
      : agents().continue(agentId, { ...call, signal })
  const stream = async <Part>(
    agentId: string,
    call: ClientCall,
    { format, end }: { format: AnswerFormat<Part>; end?: OutgoingEvent },
  ): Promise<EventStream> => {
    return streamed(call.signal, (signal) => agents().stream(agentId, { ...call, signal }, format), end)
  }
  return {
    listAgents: ({ access }) => {
      const { registry, engine } = services.current()
      return passOn(access.readable(registry.usedAgents, 'agent'), (readable) =>
        passOn(engine.runningWork(), ({ agents }) =>
          readable.map((agent) => summariseAgent(agent, contextOf(agent, agents))),
        ),
      )
    },
    getAgent: async ({ params }) => {
      const { registry, engine } = services.current()
      const agent = registry.usedAgent(params.id)
      const running = await engine.runningWork()
      return describeAgent(agent, contextOf(agent, running.agents))
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
      agents().text(params.id, { ...body, user, signal, trace, delivery: 'text' }),
    streamText: ({ params, body, user, raw: { signal }, trace }) =>
      stream(params.id, { ...body, user, signal, trace, delivery: 'stream' }, { format: textFormat }),
    generateObject: ({ params, body, user, raw: { signal }, trace }) =>
      agents().object(params.id, { ...body, user, signal, trace, delivery: 'object' }),
    streamObject: async ({ params, query, body, user, raw: { signal }, trace }) => {
      const call = { ...body, user, signal, trace }
      if (query.format === undefined)
        return stream(params.id, { ...call, delivery: 'stream-object' }, { format: objectFormat })
      const abort = new AbortController()
      const parts = await agents().stream(
        params.id,
        { ...call, signal: AbortSignal.any([signal, abort.signal]), delivery: 'object-text' },
        objectTextFormat,
      )
      return { events: objectText(parts), abort, isText: true }
    },
    respondToRun: ({ params: { id, runId }, body: { approvals }, access: { decider }, ...request }) => {
      const responses = { approvals, toolOutputs: [] }
      return continued(id, { kind: 'respond', runId, decider, responses }, request)
    },
    resumeRun: ({ params: { id, runId }, body, access: { decider }, ...request }) =>
      continued(id, { ...body, kind: 'resume', runId, decider }, request),
    replayRun: ({ params: { id, runId }, body, access: { decider }, trace, ...request }) => {
      const { options, ...replay } = body
      return continued(id, { ...replay, ...options, kind: 'replay', runId, decider, trace }, request)
    },
    chat: async ({ params, body, user, access, raw: { signal }, trace }) => {
      const { trigger, messageId, approvals } = body
      const input = body.messages ?? body.input ?? []
      const messages = typeof input === 'string' ? [] : input
      const options = { ...body.options, conversationId: body.id ?? body.options?.conversationId }
      const isRegenerated = trigger === 'regenerate-message'
      // the id is that of an edited message
      const rewinds = isRegenerated || typeof messageId === 'string'
      const waits = { approvals: true, clientTools: true }
      const call = {
        input,
        inputPath: body.messages ? 'messages' : 'input',
        rewinds,
        options,
        waits,
        user,
        signal,
        trace,
        delivery: 'chat' as const,
      }
      const format = chatFormat(messages)
      const continueAnswer = (one: ContinueCall) =>
        streamed(
          signal,
          (both) => agents().continueStreamed(params.id, { ...one, signal: both, format: () => format }),
          CHAT_END,
        )
      const { decider } = access
      if (body.resume) return continueAnswer({ ...body.resume, kind: 'resume', decider })
      // `useChat` sends the id of its last message beside responses, too
      const responses = isRegenerated ? undefined : chatResponses(messages, approvals)
      const responded = responses && (await agents().respondedChat(params.id, call, responses))
      if (!responded) return stream(params.id, call, { format, end: CHAT_END })
      return continueAnswer({ ...responded, kind: 'respond', decider })
    },
  }
}
