import type { pendingApprovalEndpoints } from '../../../contract/endpoints/agents/pending-approvals.ts'
import { chatFormat } from '../../../agent/answer/formats/chat-format.ts'
import { objectFormat } from '../../../agent/answer/formats/object-format.ts'
import type { AnswerFormat } from '../../../agent/answer/formats/answer-format.ts'
import { userIdOfOwner } from '../../../contract/access/user-key.ts'
import { PAGE } from '../../../contract/fields.ts'
import { readToEnd } from '../../../lib/async/read-to-end.ts'
import { acceptsEvents } from '../../request/accepts-events.ts'
import { CHAT_END, partEvents } from '../../reply/part-events.ts'
import type { Handler } from '../../reply/reply.ts'
import { Reply } from '../../reply/reply.ts'
import type { Services } from '../../services.ts'

type Group = typeof pendingApprovalEndpoints

const format = (isObject: boolean): AnswerFormat<unknown> => (isObject ? objectFormat : chatFormat([]))

/** The parts of an answer, which goes on when its reader leaves. */
function readOn(parts: AsyncGenerator) {
  const abort = new AbortController()
  return { events: partEvents(readToEnd(parts, abort.signal), CHAT_END), abort }
}

export function pendingApprovalHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  return {
    listApprovals: async ({ query: { limit, offset }, access }) => {
      const { history } = services.current().engine
      const userId = userIdOfOwner(await access.owner())
      const page = { limit: Number(limit ?? PAGE.defaultLimit), offset: Number(offset ?? 0) }
      const [approvals, total] = await Promise.all([
        history.pendingApprovals(userId, page),
        history.countPendingApprovals(userId),
      ])
      const readable = await access.readable(
        approvals.map((approval) => ({
          id: approval.runAgentId,
          ownerId: approval.userId ?? undefined,
          approval,
        })),
        'agent',
      )
      return new Reply(
        readable.map(({ approval }) => approval),
        { headers: { 'X-Total-Count': String(total) } },
      )
    },
    decideApprovals: async ({ params: { id, runId }, body: { approvals }, headers, access }) => {
      // whoever decides need not read the answer: it does not end with the connection
      const { signal } = new AbortController()
      const responses = { approvals, toolOutputs: [] }
      const call = { runId, decider: access.decider, responses, signal }
      const { agents } = services.current().engine
      if (!acceptsEvents(headers)) return agents.respond(id, call)
      return readOn(await agents.respondStreamed(id, { ...call, format }))
    },
    resumeWaitingRun: async ({ params: { id, runId }, body: { stepId, resumeData }, headers, access }) => {
      const { signal } = new AbortController()
      const call = { runId, decider: access.decider, stepId, resumeData, signal }
      const { agents } = services.current().engine
      if (!acceptsEvents(headers)) return agents.resumeRun(id, call)
      return readOn(await agents.resumeRunStreamed(id, { ...call, format }))
    },
  }
}
