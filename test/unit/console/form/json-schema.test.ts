import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { initialValue } from '../../../../src/console/form/initial-value.ts'
import { kindOf, resolveSchema } from '../../../../src/console/form/json-schema.ts'
import type { JsonSchema } from '../../../../src/console/form/json-schema.ts'

const schemaOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' }) as JsonSchema
const kind = (schema: z.ZodType) => kindOf(resolveSchema(schemaOf(schema), schemaOf(schema)))

describe('the form of a JSON Schema', () => {
  it.each([
    [z.string(), 'string'],
    [z.int(), 'number'],
    [z.boolean(), 'boolean'],
    [z.enum(['a', 'b']), 'choice'],
    [z.literal('a'), 'fixed'],
    [z.string().nullable(), 'nullable'],
    [z.number().nullable(), 'nullable'],
    [z.union([z.string(), z.number()]), 'union'],
    [z.union([z.string(), z.object({ a: z.string() })]), 'union'],
    [z.object({ a: z.string() }), 'object'],
    [z.record(z.string(), z.number()), 'record'],
    [z.array(z.string()), 'array'],
    [z.tuple([z.string()]), 'any'],
    [z.unknown(), 'any'],
  ] as const)('has a field for each kind of schema: %#', (schema, expected) => {
    expect(kind(schema)).toBe(expected)
  })

  it('starts with defaults, constants and required members', () => {
    const schema = schemaOf(
      z.object({
        name: z.string(),
        note: z.string().optional(),
        limit: z.int().default(5),
        tags: z.array(z.string()).min(1),
        pay: z.discriminatedUnion('by', [
          z.object({ by: z.literal('card'), number: z.string() }),
          z.object({ by: z.literal('cash') }),
        ]),
      }),
    )
    expect(initialValue(schema, schema)).toEqual({
      name: '',
      limit: 5,
      tags: [''],
      pay: { by: 'card', number: '' },
    })
  })

  it('ends at a limit when the schema is recursive', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { next: { $ref: '#' } },
      required: ['next'],
    }
    expect(JSON.stringify(initialValue(schema, schema))).toMatch(/^\{"next":/)
  })
})
