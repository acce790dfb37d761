import { describe, expect, it } from 'vitest'
import {
  decisionOf,
  isIncomplete,
  prefilled,
  withoutDecision,
} from '../../../../src/console/form/decision.ts'
import type { JsonSchema } from '../../../../src/console/form/json-schema.ts'

const boolean = { type: 'boolean' }
const string = { type: 'string' }
const object = (properties: Record<string, unknown>, required = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  required,
})

describe('the decision of a schema', () => {
  it.each([
    ['its only boolean', object({ done: boolean }), 'done'],
    ['its only boolean, beside other required values', object({ done: boolean, by: string }), 'done'],
    ['the one named approved', object({ approved: boolean, urgent: boolean }), 'approved'],
    ['the one named ok', object({ ok: boolean, urgent: boolean }), 'ok'],
    ['the one named accept…', object({ acceptTerms: boolean, urgent: boolean }), 'acceptTerms'],
  ])('is %s', (_, schema, name) => expect(decisionOf(schema)).toBe(name))

  it.each([
    ['two fit', object({ approved: boolean, ok: boolean })],
    ['it is optional', object({ approved: boolean }, [])],
    ['it has a default', object({ approved: { type: 'boolean', default: true } })],
    ['two booleans have other names', object({ urgent: boolean, done: boolean })],
    [
      'it is one of two booleans, and the other is optional',
      object({ done: boolean, urgent: boolean }, ['done']),
    ],
    ['there is no boolean', object({ by: string })],
  ])('is none when %s', (_, schema) => expect(decisionOf(schema)).toBeUndefined())

  it('leaves what else is required', () => {
    const rest = withoutDecision(
      object({ approved: boolean, by: string, note: string }, ['approved', 'by']),
      'approved',
    )
    expect(rest).toMatchObject({ properties: { by: string, note: string }, required: ['by'] })
    expect(withoutDecision(object({ approved: boolean }), 'approved')).toBeUndefined()
  })
})

describe('the values of a form', () => {
  const schema = object({
    by: string,
    reviewed_by: string,
    limit: { type: 'number', default: 3 },
    note: string,
  })

  it('name the user who responds', () => {
    expect(prefilled(schema, 'ann')).toEqual({ by: 'ann', reviewed_by: 'ann', limit: 3, note: '' })
    expect(prefilled(schema, undefined)).toEqual({ by: '', reviewed_by: '', limit: 3, note: '' })
  })

  it('are incomplete while a required one is empty', () => {
    expect(isIncomplete(schema, prefilled(schema, 'ann'))).toBe(true)
    expect(isIncomplete(object({ by: string }), { by: 'ann' })).toBe(false)
  })
})
