import * as fc from 'fast-check'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { fillSchema } from '../../../../src/agent/sample/fill-schema.ts'
import { compileSchema, type JsonSchema, type Schema } from '../../../../src/lib/schema/schema.ts'

const fill = (schema: Schema, text: string) => fillSchema(compileSchema(schema).input, text)

const TEXT = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    'What is the weather in Paris for 3 days?',
    'Refund order ORD-1234 of "Ada Lovelace" (ada@example.com), 12.50 or -7, not 1,000',
    'See https://example.org/a?b=1. Use celsius on 2026-02-28, 2026-02-30',
    '🚀'.repeat(20),
  ),
)

const stringSchema = fc.oneof(
  fc
    .tuple(fc.nat(12), fc.nat(30))
    .map(([minLength, more]) => ({ type: 'string', minLength, maxLength: minLength + more })),
  fc
    .constantFrom('email', 'uri', 'date-time', 'date', 'time', 'uuid', 'ipv4', 'ipv6', 'hostname', 'duration')
    .map((format) => ({ type: 'string', format })),
  fc
    .constantFrom(
      '^[A-Z]{3}-\\d{4}$',
      '^(?:red|green)$',
      '^\\p{Lu}\\p{Ll}+$',
      '[^a-z]x{2,5}\\.',
      '^(a|b(c|d))+$',
      '^\\S+@\\S+$',
    )
    .map((pattern) => ({ type: 'string', pattern })),
)

const numberSchema = fc
  .record({
    type: fc.constantFrom('number', 'integer'),
    low: fc.integer({ min: -50, max: 50 }),
    room: fc.integer({ min: 8, max: 90 }),
  })
  .chain(({ type, low, room }) =>
    fc.constantFrom<Record<string, unknown>>(
      { type },
      { type, minimum: low },
      { type, maximum: low },
      { type, exclusiveMinimum: low, exclusiveMaximum: low + room },
      { type, minimum: low, maximum: low + room, multipleOf: 4 },
    ),
  )

const enumSchema = fc
  .uniqueArray(fc.oneof(fc.string({ maxLength: 8 }), fc.integer(), fc.constant(null)), {
    minLength: 1,
    maxLength: 4,
  })
  .map((values) => ({ enum: values }))

const { schema: anySchema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    stringSchema,
    numberSchema,
    enumSchema,
    fc.constantFrom(
      { type: 'boolean' },
      { type: 'null' },
      { const: { a: [1] } },
      {},
      { type: ['null', 'string'] },
    ),
    fc
      .record({ items: tie('schema'), minItems: fc.nat(3), more: fc.nat(3) })
      .map(({ items, minItems, more }) => ({ type: 'array', items, minItems, maxItems: minItems + more })),
    fc
      .array(tie('schema'), { minLength: 1, maxLength: 3 })
      .map((prefixItems) => ({ type: 'array', prefixItems, minItems: prefixItems.length, items: false })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc
      .record({
        properties: fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), tie('schema'), { maxKeys: 4 }),
        isRequired: fc.func(fc.boolean()),
        closed: fc.boolean(),
      })
      .map(({ properties, isRequired, closed }) => ({
        type: 'object',
        properties,
        required: Object.keys(properties).filter((name) => isRequired(name)),
        additionalProperties: !closed,
      })),
    fc
      .record({ member: tie('schema'), minProperties: fc.nat(3) })
      .map(({ member, minProperties }) => ({ type: 'object', additionalProperties: member, minProperties })),
    tie('schema').map((part) => ({ allOf: [part, { description: 'the same' }] })),
  ),
}))

describe('fillSchema', () => {
  test('returns a value that matches the schema, for any schema and text', () => {
    fc.assert(
      fc.property(anySchema, TEXT, (schema, text) => {
        const value = fillSchema(schema, text)
        const checked = compileSchema(schema).validate(value)
        expect({ value, checked }).toMatchObject({ checked: { ok: true } })
      }),
      { numRuns: 300 },
    )
  })

  test('is deterministic', () => {
    fc.assert(
      fc.property(anySchema, TEXT, (schema, text) => {
        expect(fillSchema(schema, text)).toEqual(fillSchema(structuredClone(schema), text))
      }),
    )
  })

  test('supports the JSON Schema of zod’s formats, unions and recursion', async () => {
    interface Tree {
      name: string
      left: Tree | null
      children: Tree[]
    }
    const tree: z.ZodType<Tree> = z.lazy(() =>
      z.object({ name: z.string(), left: tree.nullable(), children: z.array(tree) }),
    )
    const schema = z.object({
      email: z.email(),
      url: z.url(),
      id: z.uuid(),
      at: z.iso.datetime(),
      day: z.iso.date(),
      clock: z.iso.time(),
      code: z.string().regex(/^[A-Z]{2}\d{3,}$/),
      pair: z.tuple([z.string(), z.number()]),
      scores: z.record(z.enum(['a', 'b']), z.number()),
      both: z.intersection(z.object({ x: z.string() }), z.object({ y: z.int().min(5) })),
      shape: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('circle'), r: z.number().positive() }),
        z.object({ kind: z.literal('square'), side: z.number().positive() }),
      ]),
      tree,
    })
    for (const text of ['', 'a square, please', '🚀 "x" 3 -4']) {
      expect(await compileSchema(schema).validate(fill(schema, text))).toMatchObject({ ok: true })
    }
  })
})

describe('limits', () => {
  test('are satisfied in code points and UTF-16 units: libraries count differently', async () => {
    const shape = {
      type: 'object',
      properties: { title: { type: 'string', maxLength: 4 } },
      required: ['title'],
    }
    const value = fillSchema(shape, 'Call it "🚀🚀🚀"')
    const title = v.pipe(v.string(), v.minLength(1), v.maxLength(4))
    expect(await compileSchema(v.object({ title })).validate(value)).toMatchObject({ ok: true })
  })

  test.each([
    [[{ minimum: 3 }, { minimum: 8 }], 'integer'],
    [[{ maximum: -3 }, { maximum: -8 }], 'integer'],
    [[{ multipleOf: 4 }, { multipleOf: 6, minimum: 2 }], 'number'],
    [[{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }], 'string'],
    [[{ minLength: 12 }, { minLength: 2 }], 'string'],
  ])('%j of an allOf are satisfied together', (allOf, type) => {
    const schema = { type, allOf }
    expect(compileSchema(schema).validate(fillSchema(schema, ''))).toMatchObject({ ok: true })
    const [one, other] = allOf
    const nested = { ...one, allOf: [{ type, ...other }], $ref: '#/$defs/any', $defs: { any: {} } }
    expect(compileSchema(nested).validate(fillSchema(nested, ''))).toMatchObject({ ok: true })
  })
})

describe('values of the text', () => {
  test.each([
    [z.object({ city: z.string() }), 'What is the weather in New York today?', { city: 'New York' }],
    [z.object({ a: z.number(), b: z.number() }), 'Add 1,200 and -3.5', { a: 1200, b: -3.5 }],
    [
      z.object({ orderId: z.string(), amount: z.number() }),
      'Refund 20 of ORD-1234',
      { orderId: 'ORD-1234', amount: 20 },
    ],
    [z.object({ sku: z.string().regex(/^[A-Z]-\d+$/) }), 'Is B-77 in stock?', { sku: 'B-77' }],
    [z.object({ unit: z.enum(['celsius', 'fahrenheit']) }), 'In Fahrenheit, please', { unit: 'fahrenheit' }],
    [z.object({ unit: z.union([z.literal('km'), z.literal('mi')]) }), 'how many mi', { unit: 'mi' }],
    [
      z.object({ to: z.email(), subject: z.string() }),
      'Mail "Hi there" to ada@example.com',
      { to: 'ada@example.com', subject: 'Hi there' },
    ],
    [z.object({ numbers: z.array(z.number()) }), 'Average of 3, 3 and 8', { numbers: [3, 3, 8] }],
    [z.object({ day: z.iso.date() }), 'Free on 2026-03-09?', { day: '2026-03-09' }],
    [z.object({ query: z.string() }), 'latest news on tides', { query: 'latest news on tides' }],
    [z.object({ answer: z.boolean() }), 'Do not send it', { answer: false }],
    [
      z.object({
        shape: z.union([z.object({ kind: z.literal('circle') }), z.object({ kind: z.literal('square') })]),
      }),
      'Draw a square',
      { shape: { kind: 'square' } },
    ],
  ])('are used: %#, %s', (schema, text, value) => {
    expect(fill(schema, text)).toEqual(value)
  })

  test('are not used when they are outside the limits', () => {
    expect(fill(z.object({ days: z.int().min(1).max(14) }), 'In 2031, for 5 days')).toEqual({ days: 5 })
  })

  test('fill optional members, which are otherwise omitted', () => {
    const schema = z.object({ city: z.string(), days: z.int().optional(), note: z.string().optional() })
    expect(fill(schema, 'Weather in Paris')).toEqual({ city: 'Paris' })
    expect(fill(schema, 'Weather in Paris for 3 days')).toEqual({ city: 'Paris', days: 3 })
  })

  test('that are missing are replaced by the default of a required member', () => {
    const schema = {
      type: 'object',
      properties: { limit: { type: 'integer', default: 7 } },
      required: ['limit'],
    }
    expect(fill(schema, 'list it')).toEqual({ limit: 7 })
  })

  test('named __proto__ are plain members', () => {
    const schema: JsonSchema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"const":1}},"required":["__proto__"]}',
    )
    expect(JSON.stringify(fillSchema(schema, ''))).toBe('{"__proto__":1}')
  })

  test('of an endlessly recursive schema end early', () => {
    const schema = {
      $ref: '#',
      type: 'object',
      properties: { a: { $ref: '#' }, b: { $ref: '#' } },
      required: ['a', 'b'],
    }
    expect(fillSchema(schema, '')).toBeDefined()
    const endless = {
      type: 'object',
      properties: { a: { $ref: '#' }, b: { $ref: '#' } },
      required: ['a', 'b'],
    }
    expect(JSON.stringify(fillSchema(endless, '')).length).toBeLessThan(1_000_000)
  })
})
