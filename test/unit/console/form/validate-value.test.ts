import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { decisionOf } from '../../../../src/console/form/decision.ts'
import { initialValue } from '../../../../src/console/form/initial-value.ts'
import type { JsonSchema } from '../../../../src/console/form/json-schema.ts'
import { validateValue } from '../../../../src/console/form/validate-value.ts'

const schemaOf = (type: z.ZodType) => z.toJSONSchema(type, { io: 'input' }) as JsonSchema
const errorsOf = (type: z.ZodType, value: unknown) => Object.fromEntries(validateValue(schemaOf(type), value))

describe('the value of a form', () => {
  it('has the errors of its fields, by their paths', () => {
    const Item = z.object({ sku: z.string().min(1), count: z.int().max(9) })
    const type = z.object({ items: z.array(Item).min(1), size: z.enum(['S', 'M']), ok: z.boolean() })
    expect(errorsOf(type, { items: [{ sku: '', count: 1.5 }], size: undefined })).toEqual({
      'items[0].sku': 'Required',
      'items[0].count': 'Must be a whole number, such as 12',
      size: 'Required',
      ok: 'Required',
    })
    expect(errorsOf(type, { items: [], size: 'L', ok: true })).toEqual({
      items: 'Must have at least 1 entry',
      size: 'Must be one of the choices',
    })
    expect(errorsOf(type, { items: [{ sku: 'a', count: 9 }], size: 'S', ok: false })).toEqual({})
  })

  it('has the errors of the branch of a union that is meant', () => {
    const type = z.object({
      pay: z.discriminatedUnion('by', [
        z.object({ by: z.literal('card'), number: z.string().min(4) }),
        z.object({ by: z.literal('bill'), days: z.number() }),
      ]),
      limit: z.number().min(3).nullable(),
    })
    expect(errorsOf(type, { pay: { by: 'card', number: '12' }, limit: 1 })).toEqual({
      'pay.number': 'Must have at least 4 characters',
      limit: 'Must be at least 3',
    })
    expect(errorsOf(type, { pay: { by: 'bill', days: 1 }, limit: null })).toEqual({})
  })

  it('is left to the server where validators differ, and with a schema that can not be read', () => {
    const schema = {
      type: 'object',
      additionalProperties: false,
      properties: { at: { type: 'string', format: 'uri' } },
    }
    expect(validateValue(schema, { at: 'no uri', other: 1 }).size).toBe(0)
    expect(validateValue({ type: 'string', pattern: '(' }, 'a').size).toBe(0)
  })
})

describe('a form', () => {
  it('starts without what a person decides', () => {
    const schema = schemaOf(
      z.object({ ok: z.boolean(), size: z.enum(['S', 'M']), on: z.boolean().default(true) }),
    )
    expect(initialValue(schema, schema)).toEqual({ ok: undefined, size: undefined, on: true })
  })

  it.each([
    [z.object({ ok: z.boolean() }), 'ok'],
    [z.object({ ok: z.boolean(), note: z.string().optional() }), 'ok'],
    [z.object({ ok: z.boolean(), note: z.string() }), 'ok'],
    [z.object({ ok: z.boolean().default(true) }), undefined],
    [z.object({ note: z.string() }), undefined],
    [z.boolean(), undefined],
  ])('is a decision when its only boolean is required: %#', (type, expected) => {
    expect(decisionOf(schemaOf(type))).toBe(expected)
  })
})
