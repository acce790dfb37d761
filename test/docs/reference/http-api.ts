import { endpointsOf } from './api-description.ts'
import type { ApiDescription, Endpoint, Parameter } from './api-description.ts'
import type { Blocks } from './generated-blocks.ts'
import { memberTable, nameOf, typeOf } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'
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

/** The generated parts of docs/reference/http-api.md. */
export function httpApiBlocks(description: ApiDescription): Blocks {
  const described = endpointsOf(description)
  const { tags } = description
  const endpoints = tags.flatMap(({ name }) => described.filter((endpoint) => endpoint.tags.includes(name)))
  return {
    overview: table(
      ['Method and path', 'Summary', 'Access'],
      endpoints.map(({ route, summary, 'x-access': access }) => [
        `[${code(route)}](#${anchor(route)})`,
        sentence(summary),
        ACCESS[access],
      ]),
    ),
    endpoints: tags
      .map(({ name, description: text }) => {
        const own = endpoints.filter((endpoint) => endpoint.tags.includes(name))
        return [
          `### ${name}`,
          `${sentence(text)}.`,
          ...own.map((endpoint) => section(endpoint, description)),
        ].join('\n\n')
      })
      .join('\n\n'),
    objects: Object.entries(description.components.schemas)
      .filter(([name]) => !EVENTS.has(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, schema]) => `### ${name}\n\n${objectText(schema)}`)
      .join('\n\n'),
  }
}

/** The anchor of a heading, as GitHub makes it. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')
}

function linkTo(name: string): string {
  const page = EVENTS.has(name) ? 'live-channels.md' : ''
  return `${page}#${name.toLowerCase()}`
}

function section(endpoint: Endpoint, description: ApiDescription): string {
  const { route, summary, operationId, 'x-access': access, parameters = [] } = endpoint
  return [
    `#### ${route}`,
    `${sentence(summary)}. Access: ${ACCESS[access]}. Client method: ${code(operationId)}.`,
    ...(parameters.length > 0 ? [parameterTable(parameters)] : []),
    ...bodyText(endpoint, description),
    responseText(endpoint),
  ].join('\n\n')
}

const PLACES = { path: 'path', query: 'query', header: 'header' } as const

function parameterTable(parameters: readonly Parameter[]): string {
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

function bodyText({ requestBody }: Endpoint, { components }: ApiDescription): string[] {
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

function responseText({ responses }: Endpoint): string {
  const statuses = Object.keys(responses)
  const successes = statuses.filter((status) => status < '400')
  const errors = statuses.filter((status) => status >= '400' && !COMMON_STATUSES.has(status))
  const lines = successes.map((status) => `- ${code(status)}: ${contentText(responses[status]?.content)}`)
  const paged = successes.some((status) => 'X-Total-Count' in (responses[status]?.headers ?? {}))
  return [
    ...lines,
    ...(paged
      ? ['- Header `X-Total-Count`: the number of items, when the query has `limit`, `offset` or `page`.']
      : []),
    ...(errors.length > 0 ? [`- Errors: ${errors.map((status) => code(status)).join(', ')}.`] : []),
  ].join('\n')
}

function contentText(content: Endpoint['responses'][string]['content']): string {
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
  if (data.properties) return `\`data\` is an object: ${inlineMembers(data)}.`
  return `\`data\` is ${withArticle(typeOf(data, linkTo))}.`
}

function withArticle(type: string): string {
  return type.startsWith('array') ? `an ${type}` : type
}

function inlineMembers({ properties = {} }: JsonSchema): string {
  return Object.entries(properties)
    .map(([name, member]) => {
      const members = member.properties ? ` (${inlineMembers(member)})` : ''
      return `${code(name)} ${typeOf(member, linkTo)}${members}`
    })
    .join(', ')
}

function objectText(schema: JsonSchema): string {
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
