import { idOfKey } from '../../contract/access/user-key.ts'
import type { searchEndpoints } from '../../contract/endpoints/search.ts'
import { SEARCH_PAGE } from '../../contract/endpoints/search.ts'
import { toIso } from '../../lib/clock.ts'
import type { Handler } from '../reply/reply.ts'
import { Reply } from '../reply/reply.ts'
import type { Services } from '../services.ts'

type Group = typeof searchEndpoints

export function searchHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  return {
    search: async ({ query: { q, limit, cursor }, access }) => {
      const { search } = services.current()
      const filter = { ...(await search.filterOf(q)), openTo: await access.limit() }
      const page = { limit: Number(limit ?? SEARCH_PAGE.defaultLimit), before: cursor }
      const { results, next } = await search.find(filter, page)
      const executions = results.filter(({ kind }) => kind === 'execution')
      const readable = await access.readable(
        executions.map(({ id, owner }) => ({ id, ownerId: owner === null ? undefined : idOfKey(owner) })),
      )
      const runs = results.filter(({ kind }) => kind === 'run')
      const agents = await access.readable(
        runs.map(({ id, subjectId, userId }) => ({ id: subjectId, ownerId: userId ?? undefined, runId: id })),
        'agent',
      )
      const ids = new Set([...readable.map(({ id }) => id), ...agents.map(({ runId }) => runId)])
      const open = results.filter(({ id }) => ids.has(id))
      return new Reply(
        open.map(({ owner: _, ...result }) => result),
        {
          beside: { indexedUntil: toIso(search.indexedUntil) },
          headers: next === undefined ? {} : { 'X-Next-Cursor': next },
        },
      )
    },
  }
}
