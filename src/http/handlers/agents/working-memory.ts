import type { workingMemoryEndpoints } from '../../../contract/endpoints/agents/working-memory.ts'
import { workingMemorySchema } from '../../../engine/conversations/working-memories.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Handler, ValidRequest } from '../../reply/reply.ts'
import type { Services } from '../../services.ts'

type Group = typeof workingMemoryEndpoints
type Named = Pick<ValidRequest<Group['getWorkingMemory']>, 'params' | 'query' | 'access'>

export function workingMemoryHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const memories = () => services.current().engine.memories
  /** @throws AppError `not_found` for an agent without working memory. */
  const named = ({ params, query, access }: Named) => {
    const agent = services.current().registry.usedAgent(params.id)
    const schema = workingMemorySchema(agent)
    if (schema === undefined) throw new AppError('not_found', `Working memory not found: ${agent.id}`)
    return { schema, key: { agentId: agent.id, userId: access.memoryUser(query.userId) } }
  }
  return {
    getWorkingMemory: (request) => memories().get(named(request).key),
    putWorkingMemory: (request) => {
      const { key, schema } = named(request)
      return memories().replace(key, schema, request.body)
    },
    deleteWorkingMemory: async (request) => ({ deleted: await memories().delete(named(request).key) }),
  }
}
