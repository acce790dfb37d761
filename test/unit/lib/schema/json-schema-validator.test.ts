import { describe, expect, it } from 'vitest'
import { AppError } from '../../../../src/lib/errors.ts'
import { compileSchema, formatIssues, type JsonSchema } from '../../../../src/lib/schema/schema.ts'

async function messagesOf(schema: JsonSchema, value: unknown): Promise<string> {
  const outcome = await compileSchema(schema).validate(value)
  return outcome.ok ? 'ok' : formatIssues(outcome.issues, 'input')
}

function errorOf(schema: JsonSchema): string {
  try {
    compileSchema(schema)
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_config') return error.message
    throw error
  }
  throw new Error('the schema was accepted')
}

describe('a plain JSON Schema', () => {
  it('applies defaults to a copy of the value', async () => {
    const original = { address: {} }
    const schema = {
      properties: { size: { default: 7 }, address: { properties: { country: { default: 'NO' } } } },
    }
    expect(await compileSchema(schema).validate(original)).toEqual({
      ok: true,
      value: { address: { country: 'NO' }, size: 7 },
    })
    expect(original).toEqual({ address: {} })
  })

  it.each<[string, JsonSchema, unknown, string]>([
    ['a wrong type', { type: ['string', 'null'] }, 1, 'input: Expected string or null, received number'],
    ['a number that is not an integer', { type: 'integer' }, 1.5, 'input: Expected integer, received number'],
    ['an array instead of an object', { type: 'object' }, [], 'input: Expected object, received array'],
    ['a value outside an enum', { enum: ['a', 1] }, 'b', 'input: Expected "a" or 1'],
    ['a value other than a constant', { const: 'a' }, 'b', 'input: Expected "a"'],
    ['a value of another format', { format: 'date-time' }, 'now', 'input: Must match format "date-time"'],
    ['a string that is too short', { minLength: 2 }, 'a', 'input: Must NOT have fewer than 2 characters'],
    ['an unknown key', { additionalProperties: false }, { b: 1 }, 'input: Unrecognized key: "b"'],
    ['an unevaluated key', { unevaluatedProperties: false }, { b: 1 }, 'input: Unrecognized key: "b"'],
    [
      'an invalid key',
      { propertyNames: { maxLength: 1 } },
      { bb: 1 },
      'input: Invalid key "bb": must NOT have more than 1 characters',
    ],
    ['a forbidden key', { properties: { a: false } }, { a: 1 }, 'input.a: Not allowed'],
    ['a missing dependent key', { dependentRequired: { a: ['b'] } }, { a: 1 }, 'input.b: Required'],
    [
      'a path with special characters',
      { properties: { 'a/b~c': { items: { type: 'null' } } } },
      { 'a/b~c': [1] },
      'input["a/b~c"][0]: Expected null, received number',
    ],
    [
      'a key that resembles an index',
      { properties: { 0: { type: 'string' } } },
      { 0: 1 },
      'input["0"]: Expected string, received number',
    ],
    [
      'a value that fails a condition',
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      { if: { const: 1 }, then: { type: 'string' } },
      1,
      'input: Expected string, received number',
    ],
  ])('reports %s', async (_name, schema, value, message) => {
    expect(await messagesOf(schema, value)).toBe(message)
  })

  it('rejects values that are not JSON, with their path', async () => {
    expect(await messagesOf({ type: 'object' }, { when: [new Date()] })).toBe(
      'input.when[0]: a Date is not JSON',
    )
  })

  it('does not accept inherited properties as fields', async () => {
    expect(await messagesOf({ required: ['constructor'] }, {})).toBe('input.constructor: Required')
  })

  it('supports earlier drafts', async () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: {
        id: { $id: '#id', type: 'string' },
        pair: { items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
      },
      properties: {
        id: { $ref: '#/definitions/id' },
        byName: { $ref: '#id' },
        pair: { $ref: '#/definitions/pair' },
        second: { $ref: '#/definitions/pair/items/1' },
        definitions: { type: 'boolean' },
        same: { $ref: '#/properties/definitions' },
        size: { minimum: 1, exclusiveMinimum: true },
      },
      dependencies: { id: ['size'], pair: { required: ['second'] } },
    }
    expect(
      await messagesOf(schema, { id: 'a', byName: 'b', pair: ['a', 1], second: 2, same: true, size: 2 }),
    ).toBe('ok')
    expect(await messagesOf(schema, { id: 'a' })).toBe('input.size: Required')
    expect(await messagesOf(schema, { pair: ['a'] })).toBe('input.second: Required')
    expect(await messagesOf(schema, { size: 1 })).toBe('input.size: Must be > 1')
    expect(await messagesOf(schema, { same: 1 })).toBe('input.same: Expected boolean, received number')
    expect(await messagesOf(schema, { pair: ['a', 1, 2], second: 1 })).toContain('input.pair: ')
    expect(JSON.stringify(compileSchema(schema).input)).not.toMatch(
      /\$schema|#\/definitions|additionalItems|dependencies/,
    )
  })

  it('does not convert values and names that resemble keywords', () => {
    const schema = {
      properties: { definitions: { type: 'string' }, items: { type: 'string' } },
      default: { definitions: 1 },
      const: { items: [1], $schema: 'x' },
    }
    expect(compileSchema(schema).input).toEqual(schema)
  })

  it('supports recursive references', async () => {
    const tree = {
      properties: { kids: { items: { $ref: '#' } }, name: { type: 'string' } },
      required: ['name'],
    }
    expect(await messagesOf(tree, { name: 'a', kids: [{ name: 'b', kids: [{}] }] })).toBe(
      'input.kids[0].kids[0].name: Required',
    )
  })

  it('supports the same $id in several schemas', async () => {
    const one = { $id: 'https://acme.test/order', type: 'string' }
    const two = { $id: 'https://acme.test/order', type: 'number' }
    expect([await messagesOf(one, 'a'), await messagesOf(two, 1)]).toEqual(['ok', 'ok'])
  })

  it('validates synchronously even with $async', () => {
    expect(compileSchema({ $async: true, type: 'string' }).validate(1)).toMatchObject({ ok: false })
  })

  it.each([
    'https://acme.test/order.json',
    'order.json#/properties/id',
    'file:///etc/passwd',
    'https://json-schema.org/draft/2020-12/schema',
  ])('rejects a reference to %s', ($ref) => {
    expect(errorOf({ properties: { order: { $ref } } })).toContain(
      `$ref "${$ref}" refers to another document`,
    )
  })

  it.each<[JsonSchema, string]>([
    [{ $ref: '#/$defs/order' }, '$ref "#/$defs/order" does not resolve within the schema'],
    [{ properties: { a: { type: 'text' } } }, 'schema.properties.a.type: Expected "array" or "boolean"'],
    [{ required: 'a' }, 'schema.required: Expected array, received string'],
    [{ pattern: '(' }, 'Invalid regular expression'],
    [{ properties: { a: { default: new Date() } } }, 'schema.properties.a.default: a Date is not JSON'],
  ])('is rejected with a reason: %j', (schema, reason) => {
    expect(errorOf(schema)).toContain(reason)
  })

  it.each<JsonSchema>([{ $ref: '#' }, { allOf: [{ $ref: '#' }] }])(
    'is rejected when its references are endlessly recursive: %j',
    (schema) => {
      expect(() => compileSchema(schema).validate('x')).toThrow(
        expect.objectContaining({
          code: 'invalid_config',
          message: expect.stringContaining('endlessly recursive'),
        }),
      )
    },
  )

  it('is limited to one second when its references multiply', async () => {
    const $defs: Record<string, JsonSchema> = { d0: { type: 'string' } }
    for (let level = 1; level <= 60; level++) {
      const reference = { $ref: `#/$defs/d${level - 1}` }
      $defs[`d${level}`] = { allOf: [reference, reference] }
    }
    expect(await messagesOf({ $defs, $ref: '#/$defs/d60' }, 'x')).toBe(
      'input: Validation took longer than 1000 ms',
    )
  })

  it('is limited in length, since compiling blocks the process', () => {
    expect(errorOf({ enum: ['x'.repeat(200_000)] })).toContain('longer than 200000 characters')
  })

  it('is rejected when it is a circular object', () => {
    const schema: { properties: Record<string, unknown> } = { properties: {} }
    schema.properties['self'] = schema
    expect(errorOf(schema)).toContain('schema.properties.self: a circular reference is not JSON')
  })
})
