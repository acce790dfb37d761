import { z } from 'zod'
import { endpoints } from '../endpoint.ts'
import { Id, JsonObject } from '../fields.ts'
import { JsonRpcError, JsonRpcResult } from '../json-rpc.ts'

const params = z.object({ id: Id.describe('Agent id') })

const version = {
  'A2A-Version': z.string().optional().describe('A2A version of the client: 1.0 or 0.3'),
}

/** A JSON-RPC request. Its errors are reported as JSON-RPC errors. */
const A2aRequest = z
  .object({
    jsonrpc: z.literal('2.0'),
    id: z
      .union([z.string(), z.int(), z.null()])
      .optional()
      .describe('Id of the request, repeated in its response'),
    method: z
      .string()
      .describe('A2A method, such as SendMessage, SendStreamingMessage, GetTask or CancelTask'),
    params: z.looseObject({}).optional().describe('Parameters of the method'),
  })
  .meta({ id: 'A2aRequest' })

const Skill = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  examples: z.array(z.string()).optional().describe('Messages to try it with'),
})

const cardFields = {
  name: z.string(),
  description: z.string(),
  version: z.string().describe('Version of the agent'),
  defaultInputModes: z.array(z.string()).describe('Media types of messages'),
  defaultOutputModes: z.array(z.string()).describe('Media types of responses'),
  skills: z.array(Skill).describe('Tools and sub-agents'),
  securitySchemes: z.record(z.string(), JsonObject),
}

/** The card of an agent (A2A 1.0, section 4.4.1). */
const AgentCard = z
  .object({
    ...cardFields,
    supportedInterfaces: z.array(
      z.object({
        url: z.string(),
        protocolBinding: z.literal('JSONRPC'),
        protocolVersion: z.string().describe('Protocol version of A2A'),
      }),
    ),
    capabilities: z.object({
      streaming: z.boolean(),
      pushNotifications: z.boolean(),
      extendedAgentCard: z.boolean(),
    }),
    securityRequirements: z.array(JsonObject),
  })
  .meta({ id: 'AgentCard' })

/** The card of an agent for clients of A2A 0.3. */
const LegacyAgentCard = z
  .object({
    ...cardFields,
    protocolVersion: z.string().describe('Protocol version of A2A'),
    url: z.string(),
    preferredTransport: z.literal('JSONRPC'),
    capabilities: z.object({
      streaming: z.boolean(),
      pushNotifications: z.boolean(),
      stateTransitionHistory: z.boolean(),
    }),
    supportsAuthenticatedExtendedCard: z.boolean(),
    security: z.array(JsonObject),
  })
  .meta({ id: 'LegacyAgentCard' })

const Response = z.union([JsonRpcResult, JsonRpcError])

const card = {
  method: 'GET',
  group: 'discovery',
  action: 'read',
  tag: 'A2A',
  params,
  query: z.object(version),
  headers: z.object(version),
  reply: { kind: 'document', type: 'application/json', schema: z.union([AgentCard, LegacyAgentCard]) },
  errors: [404],
} as const

export const a2aEndpoints = endpoints({
  getAgentCard: {
    ...card,
    path: '/agents/:id/card',
    summary: 'Returns the A2A card of an agent, which describes its skills and URL',
  },
  getWellKnownAgentCard: {
    ...card,
    path: '/agents/:id/.well-known/agent-card.json',
    summary: 'Returns the same card at the well-known path that A2A clients use',
  },
  callA2a: {
    method: 'POST',
    path: '/agents/:id/a2a',
    action: 'chat',
    decides: 'a2a',
    group: 'execution',
    tag: 'A2A',
    summary: 'Sends an A2A request to an agent (JSON-RPC, protocol versions 1.0 and 0.3)',
    params,
    query: z.object(version),
    headers: z.object(version),
    body: A2aRequest,
    bodyUnchecked: true,
    reply: { kind: 'protocol', schema: Response, events: Response, rpcErrors: [400] },
    errors: [404, 413, 415],
  },
})
