import { code, sentence, table } from './markdown.ts'

/** A JSON Schema of the API description. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly additionalProperties?: boolean | JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
}

/** The link to the description of an object; `undefined` if no page describes it. */
export type LinkTo = (name: string) => string | undefined

/** Members of an object as table rows: name, type, whether it is required, meaning. Nested objects follow as `a.b`. */
export function memberTable(schema: JsonSchema, linkTo: LinkTo): string {
  return table(['Field', 'Type', 'Required', 'Description'], memberRows(schema, linkTo))
}

function memberRows(schema: JsonSchema, linkTo: LinkTo, prefix = ''): string[][] {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).flatMap(([name, member]) => [
    [
      code(prefix + name),
      typeOf(member, linkTo),
      required.includes(name) ? 'yes' : 'no',
      sentence(member.description ?? ''),
    ],
    ...nestedRows(member, linkTo, prefix + name),
  ])
}

function nestedRows(schema: JsonSchema, linkTo: LinkTo, path: string): string[][] {
  if (schema.items) return nestedRows(schema.items, linkTo, `${path}[]`)
  const inner = schema.anyOf?.find(({ properties }) => properties) ?? schema
  return inner.properties ? memberRows(inner, linkTo, `${path}.`) : []
}

/** The type of a value in words: `string`, `"a" | "b"`, `integer, 1 to 200`, a link to an object. */
export function typeOf(schema: JsonSchema, linkTo: LinkTo): string {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref)
    const link = linkTo(name)
    return link === undefined ? name : `[${name}](${link})`
  }
  if (schema.const !== undefined) return code(JSON.stringify(schema.const))
  if (schema.enum) return schema.enum.map((value) => code(JSON.stringify(value))).join(' | ')
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return [...new Set(alternatives.map((one) => typeOf(one, linkTo)))].join(' | ')
  if (schema.items) return `array of ${typeOf(schema.items, linkTo)}`
  if (schema.type === undefined) return 'any JSON'
  return [plainType(schema), ...bounds(schema)].join(', ')
}

function plainType({ type, format, properties, additionalProperties }: JsonSchema): string {
  const types = typeof type === 'string' ? [type] : (type ?? [])
  if (format === 'date-time') return 'ISO 8601 instant'
  if (types.includes('object') && !properties && additionalProperties !== false) return 'JSON object'
  return types.join(' | ')
}

function bounds({ type, minimum, maximum, minLength, maxLength }: JsonSchema): string[] {
  if (type === 'string') {
    if (maxLength === undefined) return []
    return [`${minLength ?? 0} to ${count(maxLength)} characters`]
  }
  const least = bound(minimum)
  const most = bound(maximum)
  if (least !== undefined && most !== undefined) return [`${least} to ${most}`]
  if (least !== undefined) return [`${least} or more`]
  return most === undefined ? [] : [`at most ${most}`]
}

/** A minimum or maximum as text; `undefined` for those of safe integers, which every integer has. */
function bound(value: number | undefined): string | undefined {
  return value === undefined || Math.abs(value) >= Number.MAX_SAFE_INTEGER ? undefined : count(value)
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}

/** The name that a reference such as `#/components/schemas/Span` ends with. */
export function nameOf(reference: string): string {
  return reference.split('/').at(-1) ?? reference
}
