import type { ErrorObject } from 'ajv'
import { isAbsent, REQUIRED } from './validation.ts'
import type { Issue } from './validation.ts'

/** Converts ajv's errors about `value` to issues. */
export function ajvIssues(errors: readonly ErrorObject[], value: unknown): Issue[] {
  return errors
    .filter(({ keyword }) => !SUMMARIES.has(keyword))
    .map((error) => {
      const path = [...readPointer(error.instancePath, value), ...missingProperty(error)]
      return { path, message: isAbsent(value, path) ? REQUIRED : describe(error, valueAt(value, path)) }
    })
}

/** Keywords whose error repeats the errors of their subschema, which ajv reports too. */
const SUMMARIES = new Set(['if', 'propertyNames'])

function missingProperty({ params }: ErrorObject): string[] {
  const { missingProperty } = params as Params
  return typeof missingProperty === 'string' ? [missingProperty] : []
}

/** The parameters of the keywords in {@link describe}. */
interface Params {
  readonly missingProperty?: unknown
  readonly additionalProperty?: string
  readonly unevaluatedProperty?: string
  readonly type?: string | readonly string[]
  readonly allowedValues?: readonly unknown[]
  readonly allowedValue?: unknown
}

function describe(error: ErrorObject, value: unknown): string {
  const params = error.params as Params
  const { message = `fails "${error.keyword}"`, propertyName } = error
  if (propertyName !== undefined) return `Invalid key ${JSON.stringify(propertyName)}: ${message}`
  switch (error.keyword) {
    case 'additionalProperties':
      return `Unrecognized key: ${JSON.stringify(params.additionalProperty)}`
    case 'unevaluatedProperties':
      return `Unrecognized key: ${JSON.stringify(params.unevaluatedProperty)}`
    case 'type':
      return `Expected ${[params.type ?? []].flat().join(' or ')}, received ${nameType(value)}`
    case 'enum':
      return `Expected ${(params.allowedValues ?? []).map((allowed) => JSON.stringify(allowed)).join(' or ')}`
    case 'const':
      return `Expected ${JSON.stringify(params.allowedValue)}`
    case 'false schema':
      return 'Not allowed'
    default:
      return capitalize(message)
  }
}

function nameType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function capitalize(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

/** Converts a JSON Pointer (RFC 6901) to a path. Whether `0` is an index or a property name depends on the value. */
function readPointer(pointer: string, value: unknown): (string | number)[] {
  const path: (string | number)[] = []
  let current = value
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(Array.isArray(current) ? Number(name) : name)
    current = member(current, name)
  }
  return path
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce(member, value)
}

function member(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}
