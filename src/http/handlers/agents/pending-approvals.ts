import type { pendingApprovalEndpoints } from '../../../contract/endpoints/agents/pending-approvals.ts'
import { idOfKey, NO_USER_ID } from '../../../contract/access/user-key.ts'
import { PAGE } from '../../../contract/fields.ts'
import type { Handler } from '../../reply/reply.ts'
import { Reply } from '../../reply/reply.ts'
import type { Services } from '../../services.ts'

type Group = typeof pendingApprovalEndpoints

export function pendingApprovalHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  return {
    listApprovals: async ({ query: { limit, offset }, access }) => {
      const { history } = services.current().engine
      const userId = userIdIn(await access.owner())
      const page = { limit: Number(limit ?? PAGE.defaultLimit), offset: Number(offset ?? 0) }
      const [approvals, total] = await Promise.all([
        history.pendingApprovals(userId, page),
        history.countPendingApprovals(userId),
      ])
      return new Reply(approvals, { headers: { 'X-Total-Count': String(total) } })
    },
    decideApprovals: async ({ params: { id, runId }, body: { approvals }, access }) => {
      await access.to('resume', 'agent', id)
      const ref = { runId, owner: await access.owner() }
      // whoever decides does not read the answer: it does not end with the connection
      const { signal } = new AbortController()
      const call = { responses: { approvals, toolOutputs: [] }, signal }
      return services.current().engine.agents.respond(id, ref, call)
    },
  }
}

/** Whose runs a caller may decide about: `undefined` for all, `null` for those without a user. */
function userIdIn(owner: string | null | undefined): string | null | undefined {
  return typeof owner === 'string' ? (idOfKey(owner) ?? NO_USER_ID) : owner
}
