import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { Id } from '../fields.ts'

const params = z.object({ id: Id.describe('Agent id') })

const version = {
  'A2A-Version': z.string().optional().describe('Version of the protocol that the client speaks: 1.0 or 0.3'),
}

/** A JSON-RPC request. What is wrong with one is told by a JSON-RPC error. */
const A2aRequest = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.int(), z.null()]).optional(),
    method: z.string().describe('Such as SendMessage, SendStreamingMessage, GetTask, CancelTask'),
    params: z.looseObject({}).optional(),
  })
  .meta({ id: 'A2aRequest' })

const card = {
  method: 'GET',
  group: 'discovery',
  tag: 'A2A',
  params,
  query: z.object(version),
  headers: z.object(version),
  reply: { kind: 'document', type: 'application/json' },
  errors: [404],
} as const

export const a2aEndpoints = endpoints({
  getAgentCard: {
    ...card,
    path: '/agents/:id/card',
    summary: 'The A2A card of an agent: what it can do and how it is reached',
  },
  getWellKnownAgentCard: {
    ...card,
    path: '/agents/:id/.well-known/agent-card.json',
    summary: 'The same card, where A2A clients look for it below the URL they are given',
  },
  callA2a: {
    method: 'POST',
    path: '/agents/:id/a2a',
    group: 'execution',
    tag: 'A2A',
    summary: 'Send an A2A request to an agent (JSON-RPC, versions 1.0 and 0.3)',
    params,
    query: z.object(version),
    headers: z.object(version),
    body: A2aRequest,
    bodyUnchecked: true,
    reply: { kind: 'protocol', types: ['application/json', 'text/event-stream'] },
    errors: [404, 413, 415],
  },
})
