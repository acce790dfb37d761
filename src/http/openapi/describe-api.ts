import type { z } from 'zod'
import type { Gate } from '../../auth/gate.ts'
import { TAGS } from '../../contract/endpoint.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { ENDPOINT_LIST, accessOf } from '../../contract/index.ts'
import type { RouteTarget } from '../../contract/route-pattern.ts'
import { Components } from './components.ts'
import type { Json } from './components.ts'
import { CUSTOM_TAG, addCustomOperations, socketOperations } from './custom-operations.ts'
import type { Paths } from './custom-operations.ts'
import { pathParameters, templateOf } from './path-template.ts'
import { ERROR_SCHEMA, responsesOf } from './responses.ts'
import { securityOf, securitySchemes } from './route-security.ts'

const DESCRIPTION = `Runs agents, durable workflows and tools over HTTP. Responses are \`{success, data}\` or \`{success, error}\`.

Every GET operation also answers HEAD, with the same status and headers.

The schema of a \`text/event-stream\` response describes the JSON of one \`data:\` line. OpenAPI 3.1 can't describe the stream as a whole: validators that compare the complete body with the schema report a violation for every stream.`

/** The parameter for the wildcard of an endpoint's path. */
const WILDCARD = 'path'

export interface ApiDescriptionOptions {
  readonly version: string
  /** The gate of the current configuration. */
  readonly gate: Gate
  /** Whether the configuration has an endpoint. */
  readonly isServed: (endpoint: Endpoint) => boolean
  readonly customRoutes: readonly RouteTarget[]
  /** Paths of the server's WebSocket channels and of the configuration's `webSockets`. */
  readonly socketPaths: readonly string[]
}

/** Describes the API as OpenAPI 3.1, from the endpoint table and the current access rules. */
export function describeApi({
  version,
  gate,
  isServed,
  customRoutes,
  socketPaths,
}: ApiDescriptionOptions): Json {
  const components = new Components()
  const paths: Paths = {}
  for (const [key, endpoint] of ENDPOINT_LIST) {
    if (!isServed(endpoint)) continue
    ;(paths[templateOf(endpoint.path, WILDCARD)] ??= {})[endpoint.method.toLowerCase()] = {
      ...operation(key, endpoint, components),
      security: securityOf(gate, endpoint, endpoint),
    }
  }
  addCustomOperations(paths, customRoutes, gate)
  const sockets = socketOperations(socketPaths, gate)
  return {
    openapi: '3.1.1',
    info: {
      title: 'agentserver',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [
      ...Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      ...(customRoutes.length > 0 ? [CUSTOM_TAG] : []),
    ],
    paths,
    'x-websockets': sockets,
    components: {
      schemas: { ...components.schemas, Error: ERROR_SCHEMA },
      responses: components.responses,
      securitySchemes: securitySchemes(gate, [
        ...Object.values(paths).flatMap(Object.values<Json>),
        ...Object.values(sockets),
      ]),
    },
  }
}

function operation(key: string, endpoint: Endpoint, components: Components): Json {
  const parameters = [
    ...(endpoint.path.endsWith('*') ? pathParameters(`{${WILDCARD}}`) : []),
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
    responses: responsesOf(endpoint, components),
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
    // the default is false
    ...((place === 'path' || required.includes(name)) && { required: true }),
    ...(description !== undefined && { description }),
    schema: shape,
  }))
}
