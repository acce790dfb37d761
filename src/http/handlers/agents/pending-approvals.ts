import type { pendingApprovalEndpoints } from '../../../contract/endpoints/agents/pending-approvals.ts'
import { chatFormat } from '../../../agent/answer/formats/chat-format.ts'
import { objectFormat } from '../../../agent/answer/formats/object-format.ts'
import type { AnswerFormat } from '../../../agent/answer/formats/answer-format.ts'
import { userIdOfOwner } from '../../../contract/access/user-key.ts'
import { pageOf } from '../../request/page-of.ts'
import { readToEnd } from '../../../lib/async/read-to-end.ts'
import type { ContinueCall } from '../../../engine/agents/agents.ts'
import { acceptsEvents } from '../../request/accepts-events.ts'
import { CHAT_END, partEvents } from '../../reply/part-events.ts'
import type { Handler } from '../../reply/reply.ts'
import { Reply } from '../../reply/reply.ts'
import type { Services } from '../../services.ts'

type Group = typeof pendingApprovalEndpoints

const format = (isObject: boolean): AnswerFormat<unknown> => (isObject ? objectFormat : chatFormat([]))

/** The parts of an answer, which continues when its reader leaves. */
function readOn(parts: AsyncGenerator) {
  const abort = new AbortController()
  return { events: partEvents(readToEnd(parts, abort.signal), CHAT_END), abort }
}

export function pendingApprovalHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const continued = async (agentId: string, call: ContinueCall, headers: Headers) => {
    const { agents } = services.current().engine
    // whoever decides need not read the answer: it does not end with the connection
    const { signal } = new AbortController()
    if (!acceptsEvents(headers)) return agents.continue(agentId, { ...call, signal })
    return readOn(await agents.continueStreamed(agentId, { ...call, signal, format }))
  }
  return {
    listApprovals: async ({ query, access }) => {
      const { history } = services.current().engine
      const userId = userIdOfOwner(await access.owner())
      const page = pageOf(query)
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
      const responses = { approvals, toolOutputs: [] }
      return continued(id, { kind: 'respond', runId, decider: access.decider, responses }, headers)
    },
    resumeWaitingRun: async ({ params: { id, runId }, body: { stepId, resumeData }, headers, access }) => {
      return continued(id, { kind: 'resume', runId, decider: access.decider, stepId, resumeData }, headers)
    },
  }
}
