import { describe, expect, it } from 'vitest'
import {
  InstantQuery,
  RequiredJson,
  WordsQuery,
  queryValues,
  wholeNumber,
} from '../../../src/contract/fields.ts'

describe('InstantQuery', () => {
  it.each(['2026-01-01', '2026-01-01T10:00:00Z', '2024-02-29T00:00:00.000Z', '2026-01-01T10:00:00+02:00'])(
    'accepts %s',
    (text) => {
      expect(InstantQuery.safeParse(text).success).toBe(true)
    },
  )

  it.each(['', 'yesterday', '1700000000000', '2026-02-30', '2026-13-01T00:00:00Z', '2026-01-01T25:00:00Z'])(
    'refuses %j',
    (text) => {
      expect(InstantQuery.safeParse(text).success).toBe(false)
    },
  )
})

describe('wholeNumber', () => {
  it.each(['1', '200'])('accepts %s', (text) => {
    expect(wholeNumber({ min: 1, max: 200 }).safeParse(text).success).toBe(true)
  })

  it.each(['0', '201', '-1', '1.5', '1e2', '0x10', ' 1', '', '9999999999999999'])('refuses %j', (text) => {
    expect(wholeNumber({ min: 1, max: 200 }).safeParse(text).success).toBe(false)
  })
})

it('WordsQuery requires a word, without NUL and of 256 characters at most', () => {
  expect(WordsQuery.safeParse('slow query').success).toBe(true)
  for (const text of ['', '  ', 'a\0b', 'x'.repeat(257)])
    expect(WordsQuery.safeParse(text).success).toBe(false)
})

it('RequiredJson accepts null, but not undefined', () => {
  expect(RequiredJson.safeParse(null).success).toBe(true)
  expect(RequiredJson.safeParse(undefined).success).toBe(false)
})

describe('queryValues', () => {
  it.each([
    ['http://localhost/', {}],
    ['http://localhost/?', {}],
    ['http://localhost/?a=1&b=%20x&c', { a: '1', b: ' x', c: '' }],
    ['http://localhost/?a=1?b=2', { a: '1?b=2' }],
  ])('reads %s', (url, values) => {
    expect(queryValues(url)).toEqual(values)
  })

  it('refuses a repeated parameter', () => {
    expect(() => queryValues('http://localhost/?a=1&b=2&a=1')).toThrow('a: Must not be repeated')
  })

  it('keeps __proto__ as a plain key', () => {
    expect(Object.entries(queryValues('http://localhost/?__proto__=1'))).toEqual([['__proto__', '1']])
  })
})
