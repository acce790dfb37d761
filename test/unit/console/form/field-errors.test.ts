import { describe, expect, it } from 'vitest'
import { fieldErrors, memberPath } from '../../../../src/console/form/field-errors.ts'

describe('fieldErrors', () => {
  it('assigns each message to the field that it names', () => {
    const message =
      'Input validation failed: input.orderId: Required; input.items[0].sku: Too small: expected string; or longer; input: Unknown'
    expect([...fieldErrors(message, 'input')]).toEqual([
      ['orderId', 'Required'],
      ['items[0].sku', 'Too small: expected string; or longer'],
      ['', 'Unknown'],
    ])
  })

  it('is empty when the message names no field', () => {
    expect(fieldErrors('The execution is not suspended', 'input').size).toBe(0)
    expect(fieldErrors(undefined, 'input').size).toBe(0)
  })

  it('uses the paths of memberPath', () => {
    expect(memberPath(memberPath('items', 0), 'sku')).toBe('items[0].sku')
    expect(memberPath('', 'a b')).toBe('["a b"]')
  })
})
