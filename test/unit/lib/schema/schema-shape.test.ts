import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod3'
import { type CompiledSchema, compileSchema, type Schema } from '../../../../src/lib/schema/schema.ts'

const unrepresentable = (type: string) => ({
  description: `${type}; cannot be represented in JSON Schema.`,
})

function propertiesOf(schema: Schema, side: keyof CompiledSchema & ('input' | 'output')): unknown {
  return compileSchema(schema)[side]['properties']
}

describe('the JSON Schema of a zod 4 schema', () => {
  it('describes input and output', () => {
    const schema = z.object({
      count: z.codec(z.string(), z.number(), { decode: Number, encode: String }),
      size: z.int().default(1),
    })
    expect(compileSchema(schema).input).toMatchObject({
      properties: { count: { type: 'string' } },
      required: ['count'],
    })
    expect(compileSchema(schema).output).toMatchObject({
      properties: { count: { type: 'number' } },
      required: ['count', 'size'],
    })
  })

  it('names types that JSON lacks', () => {
    const schema = z.object({
      date: z.date(),
      bigint: z.bigint(),
      custom: z.custom<Date>(() => true),
      transform: z.string().transform((text) => text.length),
      map: z.map(z.string(), z.string()),
      none: z.union([z.string(), z.undefined()]),
      any: z.any(),
    })
    expect(propertiesOf(schema, 'output')).toEqual({
      date: { type: 'string', format: 'date-time' },
      bigint: unrepresentable('A bigint'),
      custom: unrepresentable('Validated by a custom function'),
      transform: unrepresentable('The result of a transform'),
      map: unrepresentable('A Map'),
      none: { anyOf: [{ type: 'string' }, { not: {} }] },
      any: {},
    })
    expect(propertiesOf(schema, 'input')).toMatchObject({ transform: { type: 'string' } })
  })

  it("keeps the author's description and metadata", () => {
    const schema = z.object({
      due: z.date().describe('When it is due'),
      day: z.date().meta({ type: 'string', format: 'date' }),
      owner: z.custom<object>(() => true).describe('Who owns it'),
    })
    expect(propertiesOf(schema, 'input')).toEqual({
      due: { type: 'string', format: 'date-time', description: 'When it is due' },
      day: { type: 'string', format: 'date' },
      owner: { description: 'Who owns it' },
    })
  })

  it('has references for recursive schemas', () => {
    const tree: z.ZodType = z.lazy(() => z.object({ kids: z.array(tree) }))
    expect(propertiesOf(tree, 'input')).toEqual({ kids: { type: 'array', items: { $ref: '#' } } })
  })

  it('contains the reason when zod cannot convert the schema', () => {
    const schema = z.object({ a: z.string().meta({ id: 'same' }), b: z.number().meta({ id: 'same' }) })
    expect(compileSchema(schema).input['description']).toMatch(
      /^Validated by zod \(Duplicate schema id "same".*cannot be represented/,
    )
  })
})

describe('the JSON Schema of a zod 3 schema', () => {
  it('describes input and output', () => {
    const schema = z3.object({
      count: z3.string().pipe(z3.coerce.number()),
      size: z3.number().positive().default(1),
    })
    expect(compileSchema(schema).input).toEqual({
      type: 'object',
      properties: { count: { type: 'string' }, size: { type: 'number', exclusiveMinimum: 0, default: 1 } },
      required: ['count'],
    })
    expect(compileSchema(schema).output).toMatchObject({
      properties: { count: { type: 'number' } },
      additionalProperties: false,
    })
    expect(compileSchema(schema.strict()).input).toMatchObject({ additionalProperties: false })
  })

  it('names types that JSON lacks', () => {
    const schema = z3.object({
      date: z3.date().describe('When it is due'),
      bigint: z3.bigint(),
      custom: z3.instanceof(Date),
      transform: z3.string().transform((text) => text.length),
      refined: z3.string().refine(Boolean),
      map: z3.map(z3.string(), z3.string()).describe('By name'),
      any: z3.any(),
    })
    expect(propertiesOf(schema, 'output')).toEqual({
      date: { type: 'string', format: 'date-time', description: 'When it is due' },
      bigint: unrepresentable('A bigint'),
      custom: unrepresentable('Validated by a custom function'),
      transform: unrepresentable('The result of a transform'),
      refined: { type: 'string' },
      map: { description: 'By name' },
      any: {},
    })
    expect(propertiesOf(schema, 'input')).toMatchObject({ transform: { type: 'string' } })
  })

  it('converts a default that is not JSON', () => {
    const schema = z3.object({ since: z3.date().default(new Date(0)) })
    expect(propertiesOf(schema, 'input')).toEqual({
      since: { type: 'string', format: 'date-time', default: '1970-01-01T00:00:00.000Z' },
    })
  })

  it('uses the keywords of draft 2020-12', () => {
    const schema = z3.object({ pair: z3.tuple([z3.string(), z3.number()]).rest(z3.boolean()) })
    expect(propertiesOf(schema, 'input')).toEqual({
      pair: {
        type: 'array',
        minItems: 2,
        prefixItems: [{ type: 'string' }, { type: 'number' }],
        items: { type: 'boolean' },
      },
    })
  })

  it('repeats a schema that is used twice, and has references only for recursive schemas', async () => {
    const money = z3.object({ amount: z3.number() })
    const tree: z3.ZodType = z3.lazy(() =>
      z3.object({ price: money, tax: money, 'kids/~': z3.object({ of: z3.array(node) }) }),
    )
    const node: z3.ZodType = z3.object({ next: z3.lazy(() => node).optional() })
    const { input } = compileSchema(tree)
    const shown = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] }
    expect(input['properties']).toMatchObject({ price: shown, tax: shown })
    expect(JSON.stringify(input)).toContain('"$ref":"#/properties/kids~1~0/properties/of/items"')
    expect(await compileSchema(input).validate({})).toMatchObject({ ok: false })
  })
})

describe('the JSON Schema of an ArkType type', () => {
  it('describes the input and names types that JSON lacks', () => {
    const schema = type({
      id: 'string',
      date: 'Date',
      bigint: 'bigint',
      map: 'Map',
      long: type('string').narrow(() => true),
    })
    expect(propertiesOf(schema, 'input')).toEqual({
      id: { type: 'string' },
      date: { type: 'string', format: 'date-time' },
      bigint: unrepresentable('A bigint'),
      map: unrepresentable('A Map'),
      long: { type: 'string', ...unrepresentable('Validated by a custom function') },
    })
  })

  it('is never empty without a description', () => {
    const schema = type('string').pipe((text) => text.length)
    expect(compileSchema(schema).input).toEqual({ type: 'string' })
    expect(compileSchema(schema).output).toEqual(unrepresentable('Validated by arktype'))
  })

  it('uses the conversion method of older releases', () => {
    const schema = Object.assign(() => 1, {
      '~standard': { version: 1 as const, vendor: 'arktype', validate: (value: unknown) => ({ value }) },
      in: { toJsonSchema: () => ({ type: 'string' }) },
      out: { toJsonSchema: () => ({ type: 'number' }) },
    })
    expect(compileSchema(schema)).toMatchObject({ input: { type: 'string' }, output: { type: 'number' } })
  })
})

it('describes a Valibot schema as not representable', () => {
  expect(compileSchema(v.object({ a: v.string() })).input).toEqual(unrepresentable('Validated by valibot'))
})
