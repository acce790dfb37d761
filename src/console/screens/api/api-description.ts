import type { JsonSchema } from '../../form/json-schema.ts'
import { isObject } from '../../form/json-schema.ts'

/** An operation of the API description. */
export interface Operation {
  /** Identifies the operation in the URL: its key, else method and path. */
  readonly id: string
  /** Key of the endpoint in the client; undefined for custom routes. */
  readonly key: string | undefined
  readonly method: string
  /** With `{name}` placeholders. */
  readonly path: string
  readonly group: string
  readonly summary: string
  /** Access class: public, console or user. */
  readonly access: string
  /** Alternative credentials; empty when none is required. */
  readonly credentials: readonly string[]
  readonly parameters: Readonly<Record<ParameterLocation, JsonSchema | undefined>>
  /** Schema of the body, with the components that it references. */
  readonly body: JsonSchema | undefined
  readonly takesBody: boolean
  readonly isStream: boolean
  readonly responses: unknown
}

export type ParameterLocation = 'path' | 'query' | 'header'

export interface ApiDescription {
  readonly operations: readonly Operation[]
  readonly sockets: readonly SocketChannel[]
}

export interface SocketChannel {
  readonly path: string
  readonly access: string
  readonly credentials: readonly string[]
}

type Loose = Readonly<Record<string, unknown>>

const CREDENTIALS: Readonly<Record<string, string>> = {
  consoleKey: 'console key',
  userToken: 'user token',
  developmentBypass: 'development bypass',
}

/** Reads the API description (OpenAPI 3.1) of this server. */
export function readDescription(text: string): ApiDescription {
  const document = JSON.parse(text) as Loose
  const components = document['components']
  const operations = entriesOf(document['paths']).flatMap(([path, methods]) =>
    entriesOf(methods).map(([method, operation]) => operationOf({ path, method, operation, components })),
  )
  const sockets = entriesOf(document['x-websockets']).map(([path, channel]) => ({
    path,
    access: textOf(channel['x-access']),
    credentials: credentialsIn(channel['security']),
  }))
  return { operations, sockets }
}

interface Parts {
  readonly path: string
  readonly method: string
  readonly operation: Loose
  readonly components: unknown
}

function operationOf({ path, method, operation, components }: Parts): Operation {
  const { operationId, tags, summary, parameters, requestBody, responses } = operation
  const isCustom = operation['x-custom'] === true
  const key = typeof operationId === 'string' && !isCustom ? operationId : undefined
  const body = memberOf(requestBody, 'content', 'application/json', 'schema')
  const of = (location: ParameterLocation) => parametersOf(parameters, location, components)
  return {
    id: key ?? `${method.toUpperCase()} ${path}`,
    key,
    method: method.toUpperCase(),
    path,
    group: Array.isArray(tags) ? textOf(tags[0]) : 'Other',
    summary: textOf(summary),
    access: textOf(operation['x-access']),
    credentials: credentialsIn(operation['security']),
    parameters: { path: of('path'), query: of('query'), header: of('header') },
    body: isObject(body) ? { ...body, components } : undefined,
    takesBody: requestBody !== undefined || (isCustom && !['get', 'head', 'options'].includes(method)),
    isStream: memberOf(responses, '200', 'content', 'text/event-stream') !== undefined,
    responses,
  }
}

/** The parameters of one location as an object schema, for a form. */
function parametersOf(
  parameters: unknown,
  location: ParameterLocation,
  components: unknown,
): JsonSchema | undefined {
  const matching = (Array.isArray(parameters) ? (parameters as Loose[]) : []).filter(
    (one) => one['in'] === location,
  )
  if (matching.length === 0) return undefined
  const properties = matching.map(({ name, description, schema }) => {
    const described = description === undefined ? {} : { description }
    return [textOf(name), { ...(isObject(schema) ? schema : {}), ...described }] as const
  })
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: matching.filter(({ required }) => required === true).map(({ name }) => textOf(name)),
    components,
  }
}

/** The alternative credentials of a route. */
function credentialsIn(security: unknown): string[] {
  if (!Array.isArray(security)) return []
  return (security as Loose[]).map((one) =>
    Object.keys(one)
      .map((name) => CREDENTIALS[name] ?? name)
      .join(' and '),
  )
}

function memberOf(value: unknown, ...names: readonly string[]): unknown {
  let current = value
  for (const name of names) current = isObject(current) ? current[name] : undefined
  return current
}

function entriesOf(value: unknown): [string, Loose][] {
  return isObject(value) ? (Object.entries(value) as [string, Loose][]) : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The path of a request: the operation's template with the values of its parameters. */
export function fillPath(
  { path, key }: Pick<Operation, 'path' | 'key'>,
  valueOf: (name: string) => string,
): string {
  // a wildcard may have several segments
  const wildcard = key === undefined ? /^rest\d*$/ : /^path$/
  return path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
    wildcard.test(name) ? encodeURI(valueOf(name)) : encodeURIComponent(valueOf(name)),
  )
}
