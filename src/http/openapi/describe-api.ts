import { z } from 'zod'
import type { Gate } from '../../auth/gate.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { ENDPOINT_LIST, accessOf } from '../../contract/index.ts'
import type { RouteTarget } from '../../contract/route-pattern.ts'
import { CUSTOM_TAG, addCustomOperations, socketOperations } from './custom-operations.ts'
import type { Paths } from './custom-operations.ts'
import { securityOf, securitySchemes } from './route-security.ts'

type Json = Readonly<Record<string, unknown>>

const ERRORS: Readonly<Record<number, string>> = {
  400: 'Invalid path, query or body, or not allowed in the current state',
  401: 'Missing or invalid credentials',
  403: 'Host or origin not allowed, or operation disabled in production',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict with the current state, or the tool requires approval',
  413: 'Request body too large',
  415: 'Request body is not JSON',
  500: 'Execution, installation or server failed',
  503: 'Not ready, shutting down, or a required service is unreachable',
}

/** Error statuses of every endpoint. */
const COMMON_ERRORS = [400, 401, 403, 500, 503]

export interface ApiDescriptionOptions {
  readonly version: string
  /** The gate of the current configuration. */
  readonly gate: Gate
  readonly customRoutes: readonly RouteTarget[]
  /** Paths of the server's WebSocket channels and of the configuration's `webSockets`. */
  readonly socketPaths: readonly string[]
}

/** Describes the API as OpenAPI 3.1, from the endpoint table and the current access rules. */
export function describeApi({
  version,
  gate,
  customRoutes: ownRoutes,
  socketPaths,
}: ApiDescriptionOptions): Json {
  const components = new Components()
  const paths: Paths = {}
  for (const [key, endpoint] of ENDPOINT_LIST) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    ;(paths[path] ??= {})[endpoint.method.toLowerCase()] = {
      ...operation(key, endpoint, components),
      security: securityOf(gate, endpoint, endpoint),
    }
  }
  addCustomOperations(paths, ownRoutes, gate)
  const tags = [...ENDPOINT_LIST.map(([, { tag }]) => tag), ...(ownRoutes.length > 0 ? [CUSTOM_TAG] : [])]
  return {
    openapi: '3.1.1',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'agentserver',
      version,
      description:
        'Runs agents, durable workflows and tools over HTTP. Responses are `{success, data}` or `{success, error}`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(tags)].map((name) => ({ name })),
    paths,
    'x-websockets': socketOperations(socketPaths, gate),
    components: {
      schemas: { ...components.schemas, Error: ERROR_SCHEMA },
      responses: errorResponses(),
      securitySchemes: securitySchemes(gate),
    },
  }
}

const ERROR_SCHEMA = {
  type: 'object',
  properties: { success: { const: false }, error: { type: 'string', description: 'Human-readable message' } },
  required: ['success', 'error'],
  additionalProperties: false,
}

/** Collects the named schemas of all operations. */
class Components {
  readonly schemas: Record<string, Json> = {}

  /** Converts a schema to JSON Schema, with references to the named schemas. */
  convert(schema: z.ZodType, io: 'input' | 'output'): Json {
    const { $schema: _, $defs = {}, ...converted } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
    for (const [name, definition] of Object.entries($defs)) {
      const { id: _id, ...rest } = definition as Record<string, unknown>
      this.schemas[name] ??= rewriteReferences(rest)
    }
    const { id, ...rest } = converted as Record<string, unknown>
    if (typeof id !== 'string') return rewriteReferences(rest)
    this.schemas[id] ??= rewriteReferences(rest)
    return { $ref: `#/components/schemas/${id}` }
  }
}

/** Rewrites references to `$defs` as references to the document's components. */
function rewriteReferences(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json
}

function operation(key: string, endpoint: Endpoint, components: Components): Json {
  const parameters = [
    ...parametersOf(endpoint.params, 'path', components),
    ...parametersOf(endpoint.query, 'query', components),
    ...parametersOf(endpoint.headers, 'header', components),
  ]
  return {
    operationId: key,
    summary: endpoint.summary,
    tags: [endpoint.tag],
    'x-access': accessOf(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body && {
      requestBody: {
        required: endpoint.bodyOptional !== true,
        content: { 'application/json': { schema: components.convert(endpoint.body, 'input') } },
      },
    }),
    responses: {
      ...successResponses(endpoint, components),
      ...Object.fromEntries(
        [...new Set([...endpoint.errors, ...COMMON_ERRORS])]
          .toSorted((a, b) => a - b)
          .map((status) => [status, { $ref: `#/components/responses/Error${status}` }]),
      ),
    },
  }
}

function parametersOf(schema: z.ZodObject | undefined, place: string, components: Components): Json[] {
  if (!schema) return []
  const { properties = {}, required = [] } = components.convert(schema, 'input') as {
    properties?: Record<string, Json>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, { description, ...shape }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: shape,
  }))
}

function successResponses({ reply }: Endpoint, components: Components): Json {
  switch (reply.kind) {
    case 'document':
      return {
        200: { description: 'Document', content: { [reply.type]: { schema: { type: 'string' } } } },
      }
    case 'protocol': {
      const content = Object.fromEntries(reply.types.map((type) => [type, {}]))
      return { 200: { description: 'Message of the protocol', content } }
    }
    case 'events':
      return {
        200: {
          description: 'Server-Sent Events with `id: <sequence number>` and `data: <JSON of this schema>`',
          content: { 'text/event-stream': { schema: components.convert(reply.schema, 'output') } },
        },
      }
    case 'data': {
      const total = { description: 'Total number of results', schema: { type: 'integer' } }
      return {
        200: {
          ...envelope(reply.schema, components),
          ...(reply.paged && { headers: { 'X-Total-Count': total } }),
        },
        ...(reply.accepted && { 202: envelope(reply.accepted, components) }),
      }
    }
  }
}

function envelope(schema: z.ZodType, components: Components): Json {
  const data = components.convert(schema, 'output')
  const body = {
    type: 'object',
    properties: { success: { const: true }, data },
    required: ['success', 'data'],
  }
  return { description: 'Success', content: { 'application/json': { schema: body } } }
}

function errorResponses(): Json {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
  return Object.fromEntries(
    Object.entries(ERRORS).map(([status, description]) => [`Error${status}`, { description, content }]),
  )
}
