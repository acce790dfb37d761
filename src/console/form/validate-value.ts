import { Validator } from '@cfworker/json-schema'
import type { OutputUnit } from '@cfworker/json-schema'
import { memberPath } from './field-errors.ts'
import type { FieldErrors } from './field-errors.ts'
import { isObject, requiredOf, schemaAt, typesOf } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'

/** Examples of formats. */
export const EXAMPLES: Readonly<Record<string, string>> = {
  email: 'name@example.com',
  uri: 'https://…',
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  uuid: '00000000-0000-4000-8000-000000000000',
}

/** Checked by the server only: formats that validators read differently, and members that the server may ignore. */
const LEFT_TO_SERVER = new Set([
  'format',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  // of a member that is not allowed
  'false',
])
/** Keywords that only say that something below them does not match. */
const OUTER = new Set([
  '$ref',
  'properties',
  'items',
  'prefixItems',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'then',
  'else',
  'patternProperties',
  'dependentSchemas',
])

/**
 * Checks a value by a JSON Schema, without code generation, which the page's CSP refuses. Returns the errors in plain
 * words by the path of their field.
 */
export function validateValue(schema: JsonSchema, value: unknown): FieldErrors {
  // as it is sent: without members that are not set
  const sent: unknown = JSON.parse(JSON.stringify(value ?? (typesOf(schema).includes('object') ? {} : null)))
  let errors: readonly OutputUnit[]
  try {
    ;({ errors } = new Validator(schema, '2020-12', false).validate(sent))
  } catch {
    // a schema that it can't read, such as one with a pattern of another dialect: the server checks
    return new Map()
  }
  const found = new Map<string, string>()
  const branches = badBranches(errors)
  for (const error of errors) {
    const { keyword, keywordLocation, instanceLocation } = error
    if (branches.some((branch) => keywordLocation.startsWith(branch))) continue
    if (LEFT_TO_SERVER.has(keyword)) continue
    const own = schemaOf(schema, keywordLocation)
    const place = pathOf(instanceLocation)
    const at = valueAt(sent, place)
    if (keyword === 'required')
      for (const name of missing(own, at)) set(found, pathText([...place, name]), 'Required')
    else if (keyword === 'anyOf' || keyword === 'oneOf') {
      if (!errors.some((other) => isReported(other, error, branches)))
        set(found, pathText(place), 'Matches none of the types')
    } else if (!OUTER.has(keyword)) set(found, pathText(place), messageFor(keyword, own, at))
  }
  return found
}

function isReported(error: OutputUnit, outer: OutputUnit, branches: readonly string[]): boolean {
  const { keyword, keywordLocation } = error
  if (LEFT_TO_SERVER.has(keyword) || OUTER.has(keyword)) return false
  if (branches.some((branch) => keywordLocation.startsWith(branch))) return false
  return keywordLocation.startsWith(`${outer.keywordLocation}/`)
}

/** The branches of unions that were not meant: all but the one that fits best. */
function badBranches(errors: readonly OutputUnit[]): readonly string[] {
  return errors
    .filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
    .flatMap((union) => {
      const scores = new Map<string, number>()
      for (const { keyword, keywordLocation, instanceLocation } of errors) {
        const rest = keywordLocation.slice(union.keywordLocation.length)
        const [, index] = /^\/(\d+)\//.exec(rest) ?? []
        if (index === undefined || !keywordLocation.startsWith(union.keywordLocation)) continue
        const branch = `${union.keywordLocation}/${index}/`
        // a wrong type of the value itself, or a wrong constant in it, says that another branch is meant
        const isOther =
          (keyword === 'type' && instanceLocation === union.instanceLocation) || keyword === 'const'
        scores.set(branch, (scores.get(branch) ?? 0) + (isOther ? 1000 : 1))
      }
      const [best] = [...scores].toSorted(([, one], [, other]) => one - other)[0] ?? []
      return [...scores.keys()].filter((branch) => branch !== best)
    })
}

function set(found: Map<string, string>, path: string, message: string): void {
  if (!found.has(path)) found.set(path, message)
}

function messageFor(keyword: string, schema: JsonSchema, value: unknown): string {
  const limit = schema[keyword] as number
  const wrong = `Must be ${typeText(schema)}`
  const messages: Readonly<Record<string, string>> = {
    type: isEmpty(value) ? 'Required' : wrong,
    enum: isEmpty(value) ? 'Choose a value' : 'Must be one of the choices',
    const: `Must be ${JSON.stringify(limit)}`,
    minimum: `Must be at least ${limit}`,
    maximum: `Must be at most ${limit}`,
    exclusiveMinimum: `Must be more than ${limit}`,
    exclusiveMaximum: `Must be less than ${limit}`,
    multipleOf: `Must be a multiple of ${limit}`,
    minLength: limit === 1 || value === '' ? 'Required' : `Must have at least ${limit} characters`,
    maxLength: `Must have at most ${limit} characters`,
    minItems: `Must have at least ${counted(limit, 'entry', 'entries')}`,
    maxItems: `Must have at most ${counted(limit, 'entry', 'entries')}`,
    minProperties: `Must have at least ${counted(limit, 'member', 'members')}`,
    maxProperties: `Must have at most ${counted(limit, 'member', 'members')}`,
    uniqueItems: 'Must not have the same entry twice',
    pattern: patternText(schema, value),
    not: 'Has a value that is not allowed',
  }
  return messages[keyword] ?? 'Is not valid'
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}

function typeText(schema: JsonSchema): string {
  const names: Readonly<Record<string, string>> = {
    integer: 'a whole number, such as 12',
    number: 'a number, such as 1.5',
    string: 'text',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
    null: 'empty',
  }
  return typesOf(schema)
    .map((type) => names[type] ?? type)
    .join(' or ')
}

function patternText({ format, pattern }: JsonSchema, value: unknown): string {
  if (value === '') return 'Required'
  const example = typeof format === 'string' ? EXAMPLES[format] : undefined
  if (example !== undefined) return `Must look like ${example}`
  return `Must match ${pattern as string}`
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

function missing(schema: JsonSchema, value: unknown): readonly string[] {
  return requiredOf(schema).filter((name) => !isObject(value) || !Object.hasOwn(value, name))
}

/** The schema that has the keyword at a location such as `#/properties/a/$ref/minimum`. */
function schemaOf(root: JsonSchema, location: string): JsonSchema {
  let current: unknown = root
  for (const part of pathOf(location).slice(0, -1)) {
    current =
      isObject(current) && part === '$ref'
        ? (schemaAt(root, current['$ref'] as string) ?? {})
        : step(current, part)
  }
  return isObject(current) ? current : {}
}

function step(value: unknown, part: string): unknown {
  return (value as Readonly<Record<string, unknown>> | undefined)?.[part]
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value
  for (const part of path)
    current = isObject(current) || Array.isArray(current) ? step(current, part) : undefined
  return current
}

function pathOf(location: string): readonly string[] {
  return location
    .replace(/^#\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map((part) => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function pathText(path: readonly string[]): string {
  return path.reduce((parent, part) => memberPath(parent, /^\d+$/.test(part) ? Number(part) : part), '')
}
