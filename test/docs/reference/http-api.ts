import { anchorOf } from '../pages.ts'
import { clientMethod, endpointsOf } from './api-description.ts'
import type { ApiDescription, Endpoint, Parameter } from './api-description.ts'
import type { Blocks } from './generated-blocks.ts'
import { memberTable, nameOf, typeOf } from './json-schema.ts'
import type { JsonSchema, LinkTo } from './json-schema.ts'
import { HTTP_PAGES, OBJECTS_PAGE } from './http/pages.ts'
import type { HttpPage } from './http/pages.ts'
import type { Exchange, Exchanges } from './http/record-examples.ts'
import { code, sentence, table } from './markdown.ts'

/** Objects that are documented on the page of the live channels. */
const EVENTS = new Set([
  'ExecutionEvent',
  'AgentStreamPart',
  'ObjectStreamPart',
  'UiMessageChunk',
  'McpNotification',
])

const ACCESS = { public: 'public', console: 'console key', user: 'user token' } as const

/** Statuses that any endpoint may return. */
const COMMON_STATUSES = new Set(['400', '401', '403', '500', '503'])

/** The generated part of docs/reference/http-api.md. */
export function httpIndexBlocks(description: ApiDescription): Blocks {
  const objects = `| [Objects](http/${OBJECTS_PAGE}.md) | Objects that endpoints of several pages have | – |`
  const groups = table(
    ['Page', 'What it has', 'Endpoints'],
    HTTP_PAGES.map((page) => [
      `[${page.title}](http/${page.name}.md)`,
      page.summary,
      String(endpointsOn(page, description).length),
    ]),
  )
  return { groups: `${groups}\n${objects}` }
}

/** The generated parts of a page in docs/reference/http. */
export function httpPageBlocks(page: HttpPage, description: ApiDescription, exchanges: Exchanges): Blocks {
  const endpoints = endpointsOn(page, description)
  const linkTo = objectLinks(description, page.name)
  const objects = objectsText(description, page.name)
  const overview = table(
    ['Method and path', 'Summary', 'Access'],
    endpoints.map(({ route, summary, 'x-access': access }) => [
      `[${code(route)}](#${anchorOf(route)})`,
      sentence(summary),
      ACCESS[access],
    ]),
  )
  const sections = endpoints.map((endpoint) =>
    section(endpoint, { description, linkTo, exchange: exchanges[endpoint.operationId] }),
  )
  return { endpoints: [overview, ...sections].join('\n\n'), ...(objects !== '' && { objects }) }
}

/** The generated part of docs/reference/http/objects.md. */
export function sharedObjectsBlocks(description: ApiDescription): Blocks {
  return { objects: objectsText(description, OBJECTS_PAGE) }
}

/** The endpoints of a page, in the order of its tags. */
function endpointsOn({ tags }: HttpPage, description: ApiDescription): Endpoint[] {
  const described = endpointsOf(description)
  return tags.flatMap((tag) => described.filter((endpoint) => endpoint.tags.includes(tag)))
}

/** The page of each object: that of the endpoints that have it, or the page of shared objects. */
function objectPages(description: ApiDescription): ReadonlyMap<string, string> {
  const { schemas } = description.components
  const pages = new Map<string, string>(Object.keys(schemas).map((name) => [name, OBJECTS_PAGE]))
  const users = new Map<string, Set<string>>()
  for (const page of HTTP_PAGES)
    for (const name of namesIn(endpointsOn(page, description), schemas))
      users.set(name, (users.get(name) ?? new Set()).add(page.name))
  for (const [name, [only, other]] of users)
    if (only !== undefined && other === undefined) pages.set(name, only)
  return pages
}

/** The names of the objects that a part of the description refers to, also through other objects. */
function namesIn(part: unknown, schemas: ApiDescription['components']['schemas']): Set<string> {
  const names = new Set<string>()
  const visit = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (names.has(name)) continue
      names.add(name)
      visit(schemas[name] ?? {})
    }
  }
  visit(part)
  return names
}

/** Links from a page in docs/reference/http, or from docs/reference without one, to the objects. */
export function objectLinks(description: ApiDescription, from?: string): (name: string) => string {
  const pages = objectPages(description)
  return (name) => {
    const page = pages.get(name) ?? OBJECTS_PAGE
    const file = EVENTS.has(name)
      ? '../live-channels.md'
      : page === from
        ? ''
        : `${from === undefined ? 'http/' : ''}${page}.md`
    return `${file}#${name.toLowerCase()}`
  }
}

/** The descriptions of the objects of a page. */
function objectsText(description: ApiDescription, page: string): string {
  const pages = objectPages(description)
  const linkTo = objectLinks(description, page)
  return Object.entries(description.components.schemas)
    .filter(([name]) => !EVENTS.has(name) && pages.get(name) === page)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => `### ${name}\n\n${objectText(schema, linkTo)}`)
    .join('\n\n')
}

interface SectionContext {
  readonly description: ApiDescription
  readonly linkTo: LinkTo
  readonly exchange: Exchange | undefined
}

function section(endpoint: Endpoint, { description, linkTo, exchange }: SectionContext): string {
  const { route, summary, 'x-access': access, parameters = [] } = endpoint
  return [
    `### ${route}`,
    `${sentence(summary)}. Access: ${ACCESS[access]}. Client method: ${code(`api.${clientMethod(endpoint)}`)}.`,
    ...(parameters.length > 0 ? [parameterTable(parameters, linkTo)] : []),
    ...bodyText(endpoint, description, linkTo),
    responseText(endpoint, linkTo),
    ...(exchange ? [fenced(exchange.request), fenced(exchange.response)] : []),
  ].join('\n\n')
}

function fenced(text: string): string {
  return `\`\`\`http\n${text}\n\`\`\``
}

const PLACES = { path: 'path', query: 'query', header: 'header' } as const

function parameterTable(parameters: readonly Parameter[], linkTo: LinkTo): string {
  return table(
    ['Parameter', 'In', 'Type', 'Required', 'Description'],
    parameters.map(({ name, in: place, required, description = '', schema }) => [
      code(name),
      PLACES[place],
      typeOf(schema, linkTo),
      required ? 'yes' : 'no',
      sentence(description),
    ]),
  )
}

function bodyText({ requestBody }: Endpoint, { components }: ApiDescription, linkTo: LinkTo): string[] {
  const schema = requestBody?.content['application/json']?.schema
  if (!requestBody || !schema) return []
  const optional = requestBody.required ? '' : ' (may be omitted)'
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref)
    return [`Body${optional}: [${name}](${linkTo(name)}).`]
  }
  if (Object.keys(schema.properties ?? {}).length === 0) {
    if (schema.description === undefined) throw new Error('A body without members and without a description')
    return [`Body${optional}: ${sentence(schema.description)}`]
  }
  return [`Body${optional}:`, memberTable(resolved(schema, components.schemas), linkTo)]
}

function resolved(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return schema.$ref === undefined ? schema : (schemas[nameOf(schema.$ref)] ?? schema)
}

function responseText({ responses }: Endpoint, linkTo: LinkTo): string {
  const statuses = Object.keys(responses)
  const successes = statuses.filter((status) => status < '400')
  const errors = statuses.filter((status) => status >= '400' && !COMMON_STATUSES.has(status))
  const lines = successes.map(
    (status) => `- ${code(status)}: ${contentText(responses[status]?.content, linkTo)}`,
  )
  const paged = successes.some((status) => 'X-Total-Count' in (responses[status]?.headers ?? {}))
  return [
    ...lines,
    ...(paged
      ? ['- Header `X-Total-Count`: the number of items, when the query has `limit`, `offset` or `page`.']
      : []),
    ...(errors.length > 0 ? [`- Errors: ${errors.map((status) => code(status)).join(', ')}.`] : []),
  ].join('\n')
}

function contentText(content: Endpoint['responses'][string]['content'], linkTo: LinkTo): string {
  if (!content) return 'no body.'
  const [type = ''] = Object.keys(content)
  const schema = content['application/json']?.schema
  const events = content['text/event-stream']?.schema
  const stream = events ? [`Server-Sent Events; each \`data:\` line is ${typeOf(events, linkTo)}`] : []
  const data = schema?.properties?.['data']
  if (schema && !data)
    return `${[`${typeOf(schema, linkTo)}, without the envelope`, ...stream].join('; or ')}.`
  if (events) return `${stream.join('')}.`
  if (!data) return `${code(type)}, without the envelope.`
  if (data.properties) return `\`data\` is an object: ${inlineMembers(data, linkTo)}.`
  return `\`data\` is ${withArticle(typeOf(data, linkTo))}.`
}

function withArticle(type: string): string {
  return type.startsWith('array') ? `an ${type}` : type
}

function inlineMembers({ properties = {} }: JsonSchema, linkTo: LinkTo): string {
  return Object.entries(properties)
    .map(([name, member]) => {
      const members = member.properties ? ` (${inlineMembers(member, linkTo)})` : ''
      return `${code(name)} ${typeOf(member, linkTo)}${members}`
    })
    .join(', ')
}

function objectText(schema: JsonSchema, linkTo: LinkTo): string {
  const parts = schema.allOf ?? [schema]
  return parts
    .map((part) => {
      if (part.properties) return memberTable(part, linkTo)
      const alternatives = part.anyOf ?? part.oneOf ?? []
      if (alternatives.some(({ properties }) => properties))
        return alternatives.map((one) => memberTable(one, linkTo)).join('\n\nor\n\n')
      return sentence(part.description ?? 'Any JSON object.')
    })
    .join('\n\n')
}
