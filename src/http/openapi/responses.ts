import { z } from 'zod'
import type { Endpoint } from '../../contract/endpoint.ts'
import { JsonRpcError } from '../../contract/json-rpc.ts'
import type { Components, Json } from './components.ts'

const ERRORS: Readonly<Record<number, string>> = {
  400: 'Invalid path, query or body, or not allowed in the current state',
  401: 'Missing or invalid credentials',
  403: 'Host or origin not allowed, or operation disabled in production',
  404: 'Not found',
  405: 'Method not allowed',
  406: 'The Accept header does not list the required media types',
  409: 'Conflict with the current state, or the tool requires approval',
  413: 'Request body too large',
  415: 'Request body is not JSON',
  429: 'Too many executions or runs; Retry-After says when to try again',
  500: 'Execution, installation or server failed',
  503: 'Not ready, shutting down, or a required service is unreachable',
}

const text = { type: 'string' }
const MISFIT = {
  type: 'object',
  properties: { stepId: text, reason: text },
  required: ['stepId', 'reason'],
  additionalProperties: false,
}

/** Error statuses of every endpoint. */
const COMMON_ERRORS = [400, 401, 403, 500, 503]

export const ERROR_SCHEMA = {
  type: 'object',
  properties: {
    success: { const: false },
    error: { type: 'string', description: 'Human-readable message' },
    misfits: {
      type: 'array',
      items: MISFIT,
      description: 'Of a resume: where the record of the execution does not fit the code',
    },
    hint: { type: 'string', description: 'With `misfits`: what can be done' },
    executionId: { type: 'string', description: 'Of a failed execution, in development' },
    stepId: { type: 'string', description: 'The step that failed, in development' },
    consoleUrl: { type: 'string', description: 'Where the console shows the execution, in development' },
  },
  required: ['success', 'error'],
  additionalProperties: false,
}

const ERROR = { $ref: '#/components/schemas/Error' }

/** The responses of an endpoint by status. */
export function responsesOf(endpoint: Endpoint, components: Components): Json {
  const errors = [...new Set([...endpoint.errors, ...COMMON_ERRORS])].toSorted((a, b) => a - b)
  return {
    ...successResponses(endpoint, components),
    ...Object.fromEntries(errors.map((status) => [status, errorResponse(status, endpoint, components)])),
  }
}

function errorResponse(status: number, { reply }: Endpoint, components: Components): Json {
  const description = ERRORS[status]
  if (reply.kind === 'document' && reply.errorPages?.includes(status))
    return { description, content: { ...json(ERROR), 'text/html': { schema: text } } }
  const own = reply.kind === 'protocol' ? reply.errorSchema : undefined
  if (own) {
    const response = () => ({ description, content: json(components.convert(own, 'output')) })
    const id = own.meta()?.id
    return id === undefined ? response() : components.response(`${id}${status}`, response)
  }
  if (reply.kind !== 'protocol' || !reply.rpcErrors.includes(status))
    return components.response(String(status), () => ({ description, content: json(ERROR) }))
  const schema = { anyOf: [ERROR, components.convert(JsonRpcError, 'output')] }
  return { description, content: json(schema) }
}

function successResponses({ reply }: Endpoint, components: Components): Json {
  switch (reply.kind) {
    case 'document': {
      const schema = reply.schema ? components.convert(reply.schema, 'output') : { type: 'string' }
      return {
        200: { description: 'Document', content: { [reply.type]: { schema } } },
        ...(reply.revalidated && { 304: { description: 'The copy of the client is current' } }),
      }
    }
    case 'protocol':
      return {
        200: {
          description: reply.events
            ? 'Response, or Server-Sent Events with `data: <JSON of this schema>`'
            : 'Response',
          content: {
            ...json(components.convert(reply.schema, 'output')),
            ...(reply.events && eventStream(reply.events, components)),
          },
        },
        ...(reply.accepted && { 202: { description: 'Accepted; the message needs no response' } }),
      }
    case 'events':
      return {
        200: {
          description: 'Server-Sent Events: `id: <number>`, `data: <JSON of this schema>`',
          content: {
            ...eventStream(reply.schema, components),
            ...(reply.text !== undefined && {
              'text/plain': { schema: { type: 'string', description: reply.text } },
            }),
          },
        },
        ...(reply.optional && { 204: { description: 'None' } }),
      }
    case 'data': {
      const total = { description: 'Total number of results', schema: { type: 'integer' } }
      const { schema, unreadable } = reply
      const shown = { ...reply, schema: unreadable ? z.union([schema, unreadable]) : schema }
      return {
        [reply.status ?? 200]: {
          ...envelope(shown, components),
          ...(reply.paged && { headers: { 'X-Total-Count': total } }),
        },
        ...(reply.accepted && { 202: envelope({ schema: reply.accepted }, components) }),
      }
    }
  }
}

function eventStream(schema: z.ZodType, components: Components): Json {
  return { 'text/event-stream': { schema: components.convert(schema, 'output') } }
}

interface Enveloped {
  readonly schema: z.ZodType
  readonly beside?: z.ZodObject
  readonly events?: z.ZodType
}

function envelope({ schema, beside, events }: Enveloped, components: Components): Json {
  const members = Object.entries(beside?.shape ?? {}).map(
    ([name, member]) => [name, components.convert(member as z.ZodType, 'output')] as const,
  )
  const body = {
    type: 'object',
    properties: {
      success: { const: true },
      data: components.convert(schema, 'output'),
      ...Object.fromEntries(members),
    },
    required: ['success', 'data', ...members.map(([name]) => name)],
  }
  const content = { ...json(body), ...(events && eventStream(events, components)) }
  return { description: 'Success', content }
}

function json(schema: object): Json {
  return { 'application/json': { schema } }
}
