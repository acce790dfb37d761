import { describe, expect, test } from 'vitest'
import { evaluate } from '../src/arithmetic/evaluate.ts'

test.each([
  ['1 + 2 * 3', '7'],
  ['(1 + 2) * 3', '9'],
  ['0.1 + 0.2', '0.3'],
  ['3 * 1249.90 + 2 * 89.5', '3928.7'],
  ['10 - 4 - 3', '3'],
  ['8 / 4 / 2', '1'],
  ['1 / 3', '1/3'],
  ['1 / 3 * 3', '1'],
  ['-2 ^ 2', '-4'],
  ['2 ^ 3 ^ 2', '512'],
  ['2 ^ -2', '0.25'],
  ['0 ^ 0', '1'],
  ['1 - 1.05', '-0.05'],
  ['--1', '1'],
  ['9007199254740993 + 0', '9007199254740993'],
])('%s is exactly %s', (expression, value) => {
  expect(evaluate(expression).toString()).toBe(value)
})

describe('an invalid expression', () => {
  test.each([
    ['', 'Unexpected end'],
    ['1 +', 'Unexpected end'],
    ['(1', 'Missing ")"'],
    ['1 2', 'Unexpected "2"'],
    ['* 2', 'Unexpected "*"'],
    ['process.exit()', `Invalid syntax: "process.exit()"`],
    ['1 / (2 - 2)', 'Division by zero'],
    ['0 ^ -1', 'Division by zero'],
    ['2 ^ 0.5', 'must be a whole number'],
    ['9 ^ 9 ^ 9', 'too large'],
  ])('%j is rejected', (expression, message) => {
    expect(() => evaluate(expression)).toThrow(message)
  })
})
