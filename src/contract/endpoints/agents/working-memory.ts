import { z } from 'zod'
import { endpoints } from '../../endpoint.ts'
import { Id, JsonObject } from '../../fields.ts'
import { ClaimedUser } from './conversation.ts'

const workingMemory = {
  path: '/agents/:id/working-memory',
  group: 'execution',
  tag: 'Agents',
  params: z.object({ id: Id.describe('Agent id') }),
  query: z.object({ userId: ClaimedUser }),
  errors: [400, 404],
} as const

export const workingMemoryEndpoints = endpoints({
  getWorkingMemory: {
    ...workingMemory,
    method: 'GET',
    action: 'read',
    summary: "Returns an agent's working memory of the user; null when there is none",
    reply: { kind: 'data', schema: JsonObject.nullable() },
  },
  putWorkingMemory: {
    ...workingMemory,
    method: 'PUT',
    action: 'update',
    summary: "Replaces an agent's working memory of the user",
    body: z
      .looseObject({})
      .describe('The object, as the schema `memory.workingMemory` of the agent requires'),
    reply: { kind: 'data', schema: JsonObject },
    errors: [400, 404, 413, 415],
  },
  deleteWorkingMemory: {
    ...workingMemory,
    method: 'DELETE',
    action: 'delete',
    summary: "Deletes an agent's working memory of the user",
    reply: { kind: 'data', schema: z.object({ deleted: z.boolean() }) },
  },
})
