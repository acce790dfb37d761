import type { JsonSchema } from '../../form/json-schema.ts'
import { isObject } from '../../form/json-schema.ts'

/** What can be sent to the server, as `/doc` has it. */
export interface Operation {
  /** Names it in the address: the operation's own id, or method and path where it has none. */
  readonly id: string
  /** The endpoint's key in the client; routes of the project have none. */
  readonly key: string | undefined
  readonly method: string
  /** With `{name}` where a parameter goes. */
  readonly path: string
  readonly group: string
  readonly summary: string
  /** Its class: public, console or user. */
  readonly access: string
  /** What opens it now, in words; empty when nothing is needed. */
  readonly credentials: readonly string[]
  readonly parameters: Readonly<Record<ParameterPlace, JsonSchema | undefined>>
  /** With all that it refers to. */
  readonly body: JsonSchema | undefined
  readonly takesBody: boolean
  readonly isStream: boolean
  readonly responses: unknown
}

export type ParameterPlace = 'path' | 'query' | 'header'

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

const OPENERS: Readonly<Record<string, string>> = {
  consoleKey: 'console key',
  userToken: 'user token',
  developmentBypass: 'development bypass',
}

/** Reads an API description (OpenAPI 3.1) as this server writes it. */
export function readDescription(text: string): ApiDescription {
  const document = JSON.parse(text) as Loose
  const components = document['components']
  const operations = entriesOf(document['paths']).flatMap(([path, methods]) =>
    entriesOf(methods).map(([method, operation]) => operationOf({ path, method, operation, components })),
  )
  const sockets = entriesOf(document['x-websockets']).map(([path, channel]) => ({
    path,
    access: textOf(channel['x-access']),
    credentials: openersIn(channel['security']),
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
  const key = typeof operationId === 'string' ? operationId : undefined
  const body = memberOf(requestBody, 'content', 'application/json', 'schema')
  const of = (place: ParameterPlace) => parametersOf(parameters, place)
  return {
    id: key ?? `${method.toUpperCase()} ${path}`,
    key,
    method: method.toUpperCase(),
    path,
    group: Array.isArray(tags) ? textOf(tags[0]) : 'Others',
    summary: textOf(summary),
    access: textOf(operation['x-access']),
    credentials: openersIn(operation['security']),
    parameters: { path: of('path'), query: of('query'), header: of('header') },
    body: isObject(body) ? { ...body, components } : undefined,
    takesBody:
      requestBody !== undefined || (key === undefined && !['get', 'head', 'options'].includes(method)),
    isStream: memberOf(responses, '200', 'content', 'text/event-stream') !== undefined,
    responses,
  }
}

/** The parameters of one place as the schema of an object, for a form. */
function parametersOf(parameters: unknown, place: ParameterPlace): JsonSchema | undefined {
  const fits = (Array.isArray(parameters) ? (parameters as Loose[]) : []).filter((one) => one['in'] === place)
  if (fits.length === 0) return undefined
  const properties = fits.map(({ name, description, schema }) => {
    const described = description === undefined ? {} : { description }
    return [textOf(name), { ...(isObject(schema) ? schema : {}), ...described }] as const
  })
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: fits.filter(({ required }) => required === true).map(({ name }) => textOf(name)),
  }
}

/** The alternatives that open a route. */
function openersIn(security: unknown): string[] {
  if (!Array.isArray(security)) return []
  return (security as Loose[]).map((one) =>
    Object.keys(one)
      .map((name) => OPENERS[name] ?? name)
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
