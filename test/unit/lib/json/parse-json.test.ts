import { assert, jsonValue, pre, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../../../src/lib/errors.ts'
import { parseJson } from '../../../../src/lib/json/parse-json.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const nestedObjects = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)

function errorOf(text: string, options?: { maxDepth: number }): AppError {
  try {
    parseJson(text, options)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('the text was accepted')
}

describe('parseJson', () => {
  it('parses the output of JSON.stringify', () => {
    assert(
      property(jsonValue({ maxDepth: 8 }), (value) => {
        pre(!JSON.stringify(value).includes('__proto__'))
        expect(parseJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it.each([
    ['', 'unexpected end'],
    ['{"a":1', 'expected "," or "}" after a property value'],
    ['[1 2]', 'expected "," or "]" after an array element'],
    ['{"a" 1}', 'expected ":" after a property name'],
    ['{a:1}', 'expected a property name in double quotes'],
    ['{"a":1,}', 'expected a property name in double quotes'],
    ['"abc', 'unterminated string'],
    ['"a\nb"', 'unescaped control character in a string'],
    ['"\\x"', 'bad escape in a string'],
    ['"\\u12"', 'bad escape in a string'],
    ['{} {}', 'unexpected text after the value'],
    ['-', 'malformed number'],
    ['1.', 'malformed number'],
    ['<html>', 'unexpected character <'],
    ['\uFEFF{}', 'unexpected character'],
    ['undefined', 'unexpected character'],
  ])('reports the error in %j', (text, reason) => {
    expect(errorOf(text)).toMatchObject({ code: 'invalid_input', status: 400 })
    expect(errorOf(text).message).toMatch(`Invalid JSON: ${reason}`)
  })

  it('never quotes the text in an error', () => {
    const secret = 'hunter2hunter2'
    for (const text of [`{"password":${secret}}`, `["${secret}`, secret, `{"a":1} ${secret}`]) {
      const error = errorOf(text)
      expect(error.message).not.toContain('hunter')
      expect(error.cause).toBeUndefined()
    }
  })

  it('accepts 100 levels of nesting and rejects 101', () => {
    expect(() => parseJson(nested(100))).not.toThrow()
    expect(() => parseJson(nestedObjects(100))).not.toThrow()
    expect(errorOf(nested(101)).message).toBe('Invalid JSON: nested deeper than 100 levels')
    expect(errorOf(nestedObjects(101)).message).toBe('Invalid JSON: nested deeper than 100 levels')
    expect(errorOf(`[${'[],'.repeat(500)}${nestedObjects(100)}]`).code).toBe('invalid_input')
  })

  it('accepts another limit', () => {
    expect(parseJson('[[1]]', { maxDepth: 2 })).toEqual([[1]])
    expect(errorOf('[[[1]]]', { maxDepth: 2 }).message).toBe('Invalid JSON: nested deeper than 2 levels')
  })

  it('counts levels, not brackets', () => {
    expect(parseJson(`[${Array(500).fill('[{}]').join()}]`)).toHaveLength(500)
    expect(parseJson(JSON.stringify('['.repeat(500)))).toBe('['.repeat(500))
  })

  it.each([20_000, 1_000_000])('rejects %i levels without a stack overflow', (depth) => {
    expect(errorOf(nested(depth)).code).toBe('invalid_input')
    expect(errorOf('['.repeat(depth)).code).toBe('invalid_input')
    expect(errorOf(nestedObjects(depth)).code).toBe('invalid_input')
  })

  it.each([
    '{"__proto__":{"admin":true}}',
    '{"__proto__":null}',
    '{"\\u005f_proto__":1}',
    '{"__\\u0070roto__":1}',
    '{"\\u005F\\u005F\\u0070\\u0072\\u006F\\u0074\\u006F\\u005F\\u005F":1}',
    '[1,[{"a":{"b":[{"__proto__":1}]}}]]',
    '{"constructor":{"__proto__":1}}',
  ])('rejects the key __proto__ in %s', (text) => {
    expect(errorOf(text).message).toBe('Invalid JSON: the key "__proto__" is not allowed')
  })

  it('accepts __proto__ as a value, and keys that resemble it', () => {
    expect(parseJson('["__proto__",{"proto":"\\u005f_proto__","constructor":1,"__proto":2}]')).toEqual([
      '__proto__',
      { proto: '__proto__', constructor: 1, __proto: 2 },
    ])
  })
})
