import { runInNewContext } from 'node:vm'
import { assert, jsonValue, pre, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../../../../src/lib/json/parse-json.ts'
import { NotJsonError, toJson } from '../../../../src/lib/json/to-json.ts'

function errorOf(value: unknown): NotJsonError {
  try {
    toJson(value, 'result')
  } catch (error) {
    if (error instanceof NotJsonError) return error
    throw error
  }
  throw new Error('the value was accepted')
}

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

class Money {
  readonly amount = 1
}

describe('toJson', () => {
  it('writes any JSON value so that parseJson returns an equal one', () => {
    assert(
      property(jsonValue({ maxDepth: 8 }), (value) => {
        pre(!JSON.stringify(value).includes('__proto__'))
        expect(parseJson(toJson(value, 'result'))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('omits members that are undefined, and writes undefined itself as null', () => {
    expect(toJson({ a: undefined, b: 1 }, 'result')).toBe('{"b":1}')
    expect(toJson(undefined, 'result')).toBe('null')
  })

  it('accepts objects without a prototype, frozen objects and objects of other realms', () => {
    expect(toJson(Object.assign(Object.create(null), { a: 1 }), 'result')).toBe('{"a":1}')
    expect(toJson(Object.freeze([Object.freeze({})]), 'result')).toBe('[{}]')
    expect(toJson(runInNewContext('({ a: [{}] })'), 'result')).toBe('{"a":[{}]}')
  })

  it('writes an object twice that is used twice', () => {
    const shared = { a: 1 }
    expect(toJson([shared, shared], 'result')).toBe('[{"a":1},{"a":1}]')
  })

  it.each<[string, unknown]>([
    ['result.items[2].when: a Date is not JSON', { items: [1, 2, { when: new Date(0) }] }],
    ['result[1]: undefined is not JSON', [1, undefined]],
    // oxlint-disable-next-line no-sparse-arrays
    ['result[1]: undefined is not JSON', [1, , 3]],
    ['result.a: a function is not JSON', { a: () => 1 }],
    ['result: a function is not JSON', () => 1],
    ['result.a: a symbol is not JSON', { a: Symbol('s') }],
    ['result["a b"]: a bigint is not JSON', { 'a b': 1n }],
    ['result.a: NaN is not JSON', { a: Number.NaN }],
    ['result[0]: Infinity is not JSON', [Infinity]],
    ['result: -Infinity is not JSON', -Infinity],
    ['result.a: a Map is not JSON', { a: new Map() }],
    ['result.a: a Set is not JSON', { a: new Set() }],
    ['result.a: a RegExp is not JSON', { a: /x/ }],
    ['result.a: an Error is not JSON', { a: new Error('x') }],
    ['result.a: a Promise is not JSON', { a: Promise.resolve() }],
    ['result.a: a Buffer is not JSON', { a: Buffer.from('x') }],
    ['result.a: a Money is not JSON', { a: new Money() }],
    [
      'result.a: a class instance is not JSON',
      { a: Object.create(new Money(), { constructor: { value: null } }) },
    ],
    ['result.a: a String is not JSON', { a: Object('x') }],
    [
      'result.a: an object with toJSON is not JSON',
      { a: Object.defineProperty({}, 'toJSON', { value: () => 1 }) },
    ],
    ['result.a.__proto__: the key "__proto__" is not allowed', JSON.parse('{"a":{"__proto__":1}}')],
  ])('rejects a value that would be lost or changed: %s', (message, value) => {
    expect(errorOf(value).message).toBe(message)
  })

  it('reports path and reason separately', () => {
    expect(errorOf({ a: [1n] })).toMatchObject({ path: ['a', 0], reason: 'a bigint is not JSON' })
  })

  it('reports the path at which a cycle closes', () => {
    const order: { items: { order?: unknown }[] } = { items: [{}] }
    order.items[0]!.order = order
    expect(errorOf({ order }).message).toBe('result.order.items[0].order: a circular reference is not JSON')
    const self: unknown[] = []
    self.push(self)
    expect(errorOf(self).message).toBe('result[0]: a circular reference is not JSON')
  })

  it('accepts 100 levels of nesting and rejects more', () => {
    expect(parseJson(toJson(nested(100), 'result'))).toEqual(nested(100))
    expect(errorOf(nested(101)).reason).toBe('nested deeper than 100 levels')
    expect(errorOf(nested(50_000)).message.length).toBeLessThan(300)
  })
})
