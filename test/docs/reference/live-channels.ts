import { z } from 'zod'
import { CHANNELS, ChannelRequest, ConfigChange } from '../../../src/contract/channels.ts'
import type { ApiDescription } from './api-description.ts'
import type { Blocks } from './generated-blocks.ts'
import { objectLinks } from './http-api.ts'
import { memberTable, typeOf } from './json-schema.ts'
import type { JsonSchema, LinkTo } from './json-schema.ts'
import { code, sentence, table } from './markdown.ts'

/** The generated parts of docs/reference/live-channels.md. */
export function liveChannelBlocks(description: ApiDescription): Blocks {
  const { schemas } = description.components
  const linkTo = objectLinks(description)
  const events = (name: string) => eventTable(schemas[name] ?? {}, linkTo)
  return {
    'execution-events': eventTable(schemas['ExecutionEvent'] ?? {}, linkTo, [
      'executionId',
      'timestamp',
      'from',
    ]),
    'agent-stream-parts': events('AgentStreamPart'),
    'object-stream-parts': events('ObjectStreamPart'),
    'mcp-notifications': memberTable(schemas['McpNotification'] ?? {}, linkTo),
    'channel-request': memberTable(schemaOf(ChannelRequest), linkTo),
    'config-frames': eventTable(schemaOf(ConfigChange), linkTo),
    channels: Object.values(CHANNELS)
      .map(({ path, summary, query }) => {
        const schema = schemaOf(query)
        const hasQuery = Object.keys(schema.properties ?? {}).length > 0
        const parameters = hasQuery
          ? queryTable(schema, linkTo)
          : 'It has no query parameters besides the credentials.'
        return `### WS ${path}\n\n${sentence(summary)}.\n\n${parameters}`
      })
      .join('\n\n'),
  }
}

function schemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as JsonSchema
}

function queryTable({ properties = {} }: JsonSchema, linkTo: LinkTo): string {
  return table(
    ['Query parameter', 'Type', 'Description'],
    Object.entries(properties).map(([name, schema]) => [
      code(name),
      typeOf(schema, linkTo),
      sentence(schema.description ?? ''),
    ]),
  )
}

/** A union of messages by their `type`, a row each with the other fields; `common` ones are described beside it. */
function eventTable(schema: JsonSchema, linkTo: LinkTo, common: readonly string[] = []): string {
  return table(
    ['`type`', 'Other fields'],
    (schema.oneOf ?? schema.anyOf ?? []).map(({ properties = {}, required = [] }) => {
      const { type, ...others } = properties
      const shown = Object.entries(others).filter(([name]) => !common.includes(name))
      return [
        typeOf(type ?? {}, linkTo),
        fieldList({ properties: Object.fromEntries(shown), required }, linkTo) || '–',
      ]
    }),
  )
}

/** Longer lists of choices would hide the other fields. */
const MAX_CHOICES = 4

function fieldList({ properties = {}, required = [] }: JsonSchema, linkTo: LinkTo): string {
  return Object.entries(properties)
    .map(([name, member]) => {
      const optional = required.includes(name) ? '' : '?'
      const type = (member.enum?.length ?? 0) > MAX_CHOICES ? 'string' : typeOf(member, linkTo)
      const inner = member.properties ? ` { ${fieldList(member, linkTo)} }` : ` ${type}`
      return `${code(name + optional)}${inner}`
    })
    .join(', ')
}
