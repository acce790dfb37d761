import { eventLimit } from '../../contract/endpoints/waiting.ts'
import type { waitingEndpoints } from '../../contract/endpoints/waiting.ts'
import type { Handler } from '../reply/reply.ts'
import type { Services } from '../services.ts'

type Group = typeof waitingEndpoints

export function waitingHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const queries = () => services.current().engine.queries
  return {
    listQueues: async ({ access }) => {
      const queues = await queries().queues()
      return access.hasLimitedLists ? queues.map((queue) => ({ ...queue, queued: [] })) : queues
    },
    listEvents: async ({ query, access }) =>
      queries().events({ limit: eventLimit(query.limit), owner: (await access.limit())?.owner }),
  }
}
