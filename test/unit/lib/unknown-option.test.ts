import { expect, test } from 'vitest'
import { misspelledOptions, unknownOption, unknownOptions } from '../../../src/lib/unknown-option.ts'

test('an unknown option is named by its path, with the similar one that exists', () => {
  expect(unknownOption(['limits', 'bodyByte'], ['bodyBytes', 'calls'])).toBe(
    'unknown option "limits.bodyByte". Did you mean "limits.bodyBytes"?',
  )
  expect(unknownOption(['nonsense'], ['calls'])).toBe('unknown option "nonsense"')
})

test('options that are not set, or that exist, are no problem', () => {
  const options = { name: 'a', toString: 1, nmae: 'b', other: undefined }
  expect(unknownOptions(options, { name: true })).toEqual([
    'unknown option "toString"',
    'unknown option "nmae". Did you mean "name"?',
  ])
})

test('an object may have members of its own, unless they are a missing option with a typing error', () => {
  const known = { name: true, startedBy: true } as const
  expect(misspelledOptions({ start: 1, nmae: 'b' }, known)).toEqual([
    'unknown option "nmae". Did you mean "name"?',
  ])
  expect(misspelledOptions({ nmae: 'b', name: 'a' }, known)).toEqual([])
})
