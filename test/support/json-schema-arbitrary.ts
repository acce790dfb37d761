import * as fc from 'fast-check'

/** The parts of JSON Schema that the API description has. */
export interface InputSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly InputSchema[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: InputSchema
  readonly minItems?: number
  readonly properties?: Readonly<Record<string, InputSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | InputSchema
}

/** Finds the schema that a reference names. */
export type Resolve = (reference: string) => InputSchema

const MAX_LENGTH = 40
/** Bodies with the key `__proto__` are refused, wherever it stands. */
const JSON_VALUE = fc
  .jsonValue({ maxDepth: 2, stringUnit: 'grapheme-ascii' })
  .filter((value) => !JSON.stringify(value).includes('"__proto__":'))

/** Values that match a schema. */
export function valuesOf(schema: InputSchema, resolve: Resolve): fc.Arbitrary<unknown> {
  const of = (one: InputSchema) => valuesOf(one, resolve)
  if (schema.$ref !== undefined) return of(resolve(schema.$ref))
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => of(one)))
  if (typeof schema.type === 'object') return fc.oneof(...schema.type.map((type) => of({ ...schema, type })))
  switch (schema.type) {
    case undefined:
      return JSON_VALUE
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return integers(schema)
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true })
    case 'string':
      return strings(schema)
    case 'array':
      return fc.array(schema.items ? of(schema.items) : JSON_VALUE, {
        minLength: schema.minItems ?? 0,
        maxLength: 3,
      })
    case 'object':
      return objects(schema, of)
    default:
      throw new Error(`No values for the type ${schema.type}`)
  }
}

function integers({ minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: InputSchema) {
  return fc.integer({ min: Math.max(minimum, -(2 ** 31)), max: Math.min(maximum, 2 ** 31 - 1) })
}

function strings({ pattern, minLength = 0, maxLength = MAX_LENGTH }: InputSchema): fc.Arbitrary<string> {
  if (pattern === undefined)
    return fc.string({ minLength, maxLength: Math.min(maxLength, MAX_LENGTH), unit: 'grapheme-ascii' })
  return fc
    .stringMatching(new RegExp(pattern))
    .filter((text) => text.length >= minLength && text.length <= maxLength)
}

function objects(
  { properties = {}, required = [], additionalProperties = {} }: InputSchema,
  of: (schema: InputSchema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const members = Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, of(member)]))
  const known = fc.record(members, { requiredKeys: [...required] })
  if (Object.keys(properties).length > 0 || additionalProperties === false) return known
  const key = fc.string({ maxLength: 8, unit: 'grapheme-ascii' }).filter((name) => name !== '__proto__')
  return fc.dictionary(key, additionalProperties === true ? JSON_VALUE : of(additionalProperties), {
    maxKeys: 3,
  })
}
