import { describe, expect, it } from 'vitest'
import {
  bearerToken,
  consoleKey,
  keyChecker,
  queryCredential,
  repeatedHeaders,
} from '../../../src/auth/credentials.ts'

const query = (text: string) => new URLSearchParams(text)

describe('queryCredential', () => {
  it.each([
    ['token', 'token=abc', 'abc'],
    ['dev', 'dev=true', 'true'],
  ] as const)('returns %s when it is given once', (name, text, value) => {
    expect(queryCredential(query(text), name)).toBe(value)
  })

  it.each([
    ['token', 'token=abc&token=abc'],
    ['token', 'token=abc&token=xyz'],
    ['token', 'token=abc&token='],
    ['dev', 'dev=true&dev=true'],
    ['dev', 'dev=true&dev=false'],
    ['dev', 'dev=true&x=1&dev='],
  ] as const)('counts %s as missing when it is given twice: %s', (name, text) => {
    expect(queryCredential(query(text), name)).toBeUndefined()
  })

  it('counts a value over 8 KiB as missing', () => {
    expect(queryCredential(query(`token=${'a'.repeat(8192)}`), 'token')).toHaveLength(8192)
    expect(queryCredential(query(`token=${'a'.repeat(8193)}`), 'token')).toBeUndefined()
  })

  it('is undefined when the parameter is missing', () => {
    expect(queryCredential(query('key=abc'), 'token')).toBeUndefined()
  })
})

describe('repeatedHeaders', () => {
  it('lists names that occur more than once, in lower case', () => {
    expect(repeatedHeaders(['Host', 'a', 'Authorization', 'x', 'authorization', 'y'])).toEqual([
      'authorization',
    ])
  })

  it('ignores values that look like header names', () => {
    expect(repeatedHeaders(['Host', 'x', 'X-A', 'Host'])).toEqual([])
  })
})

describe('bearerToken', () => {
  const token = (authorization: string) => bearerToken(new Headers({ authorization }))

  it('reads the token whatever the case of the scheme', () => {
    expect(token('Bearer a.b-c_d~e+f/g=')).toBe('a.b-c_d~e+f/g=')
    expect(token('bearer abc')).toBe('abc')
  })

  it.each(['Basic abc', 'Bearerabc', 'Bearer abc, Bearer abc', 'Bearer', `Bearer ${'a'.repeat(8193)}`])(
    'is undefined for %.40s',
    (header) => {
      expect(token(header)).toBeUndefined()
    },
  )
})

describe('consoleKey', () => {
  const key = (header: string | undefined, text: string) =>
    consoleKey(new Headers(header === undefined ? {} : { 'x-console-access-key': header }), query(text))

  it('accepts the same key in header and query', () => {
    expect(key('k', '')).toBe('k')
    expect(key(undefined, 'key=k')).toBe('k')
    expect(key('k', 'key=k')).toBe('k')
  })

  it('counts keys that differ, and a query key given twice, as missing', () => {
    expect(key('k', 'key=other')).toBeUndefined()
    expect(key('k', 'key=')).toBeUndefined()
    expect(key(undefined, 'key=k&key=k')).toBeUndefined()
    expect(key(undefined, '')).toBeUndefined()
  })
})

describe('keyChecker', () => {
  it('accepts the expected key only', () => {
    const isKey = keyChecker(' secret\n')
    expect(isKey('secret')).toBe(true)
    expect(isKey('Secret')).toBe(false)
    expect(isKey(undefined)).toBe(false)
  })

  it.each([undefined, '', '  '])('matches nothing when the expected key is %j', (expected) => {
    const isKey = keyChecker(expected)
    expect(isKey(expected)).toBe(false)
    expect(isKey('')).toBe(false)
  })
})
