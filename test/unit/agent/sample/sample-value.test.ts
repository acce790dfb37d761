import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fillSchema } from '../../../../src/agent/sample/fill-schema.ts'
import { sampleValue } from '../../../../src/agent/sample/sample-value.ts'
import { compileSchema, type JsonSchema } from '../../../../src/lib/schema/schema.ts'

const object = (required: string, more: object): JsonSchema => ({
  type: 'object',
  properties: { [required]: { type: 'string' } },
  required: [required],
  ...more,
})

/** Keywords that fillSchema ignores. */
const RARE: readonly (readonly [string, JsonSchema])[] = [
  ['uniqueItems', { type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 3, uniqueItems: true }],
  ['not', { type: 'string', not: { pattern: 'demo' } }],
  [
    'if',
    object('kind', {
      if: { properties: { kind: { minLength: 1 } } },
      // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
      then: { required: ['size'], properties: { size: { type: 'number' } } },
    }),
  ],
  [
    'dependentSchemas',
    object('card', {
      dependentSchemas: { card: { required: ['cvc'], properties: { cvc: { type: 'number' } } } },
    }),
  ],
  ['a fractional multipleOf of an integer', { type: 'integer', multipleOf: 1.5, minimum: 1 }],
  ['dependentRequired', object('card', { dependentRequired: { card: ['cvc'] } })],
  ['contains', { type: 'array', contains: { const: 5 } }],
  ['a lookahead', { type: 'string', pattern: String.raw`^(?=.*\d)(?=.*[a-z])[a-z\d]{8,}$` }],
]

describe('a sample value', () => {
  test.each(RARE)('matches a schema with %s', async (_keyword, schema) => {
    const own = compileSchema(schema).validate(fillSchema(schema, ''))
    expect(own).toMatchObject({ ok: false })
    expect(compileSchema(schema).validate(await sampleValue(schema, ''))).toMatchObject({ ok: true })
  })

  test('contains the values of the text when the schema needs no fallback', async () => {
    const schema = object('city', { dependentRequired: { card: ['cvc'] } })
    expect(await sampleValue(schema, 'What is the weather in Paris?')).toEqual({ city: 'Paris' })
  })

  test('is deterministic', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...RARE), fc.string(), async ([, schema], text) => {
        const value = JSON.stringify(await sampleValue(schema, text))
        expect(JSON.stringify(await sampleValue(structuredClone(schema), text))).toBe(value)
      }),
      { numRuns: 20 },
    )
    expect(await sampleValue(RARE[0]?.[1] ?? {}, '')).toEqual(['b', 'a', 'c'])
  })

  test.each([
    { items: {}, minItems: 1e9 },
    { items: { items: {}, minItems: 1e9, type: 'array' }, minItems: 1e9 },
    { items: { const: 'x'.repeat(30_000) }, minItems: 1e9 },
    { items: { enum: [{ text: 'x'.repeat(1000) }] }, minItems: 1e9 },
  ])('has at most 20,000 characters as JSON', async (schema) => {
    const value = await sampleValue({ type: 'array', ...schema }, '')
    expect(JSON.stringify(value).length).toBeLessThanOrEqual(20_000)
  })

  test.each([
    ['that no value matches', { type: 'string', not: {} }],
    ['that requires too many values', { type: 'array', items: {}, minItems: 1e9 }],
    ['that requires too long a text', { type: 'string', pattern: '^((a{1000}){1000}){1000}$' }],
    ['with a reference to itself', { allOf: [{ $ref: '#' }, { type: 'string' }] }],
    ['with a reference to another document', { $ref: 'https://example.com/schema.json' }],
  ])('for a schema %s is a best effort, and limited in time', async (_case, schema) => {
    const { user } = process.cpuUsage()
    expect(await sampleValue(schema, '')).toBeDefined()
    expect(process.cpuUsage().user - user).toBeLessThan(5_000_000)
  })
})
