import { describe, expect, it } from 'vitest'
import { differences } from '../../../src/evals/cases/differences.ts'

const OUTPUT = {
  id: 'r-81',
  total: 12.5,
  items: [
    { sku: 'a', at: 5 },
    { sku: 'b', at: 6 },
  ],
}

describe('an output', () => {
  it('that is as expected has no differences, whatever the order of its keys', async () => {
    expect(await differences({ total: 12.5, items: OUTPUT.items, id: 'r-81' }, OUTPUT)).toEqual([])
  })

  it('that differs names each place by its JSON pointer', async () => {
    const found = await differences(
      { id: 'r-80', total: 12.5, items: [{ sku: 'a', at: 5 }], 'a/b~c': 1 },
      OUTPUT,
    )
    expect(found).toEqual([
      { pointer: '/id', message: 'expected "r-80", got "r-81"' },
      { pointer: '/items/1', message: 'expected nothing, got {"sku":"b","at":6}' },
      { pointer: '/a~1b~0c', message: 'expected 1, got nothing' },
    ])
  })

  it('is compared with null, an array with an object, and a missing value with undefined', async () => {
    expect(await differences(null, {})).toHaveLength(1)
    expect(await differences([], {})).toHaveLength(1)
    expect(await differences({ a: [1] }, { a: { 0: 1 } })).toHaveLength(1)
  })
})

describe('a rule', () => {
  it('replaces the comparison of its value, also of a missing one', async () => {
    const rules = {
      '/id': { regex: '^r-\\d+$' },
      '/total': { range: [12, 13] },
      '/items': { ignore: true },
    } as const
    expect(
      await differences({ id: 'other', total: 1, more: 1 }, { ...OUTPUT, more: 1 }, rules as never),
    ).toEqual([])
    const wrong = await differences({}, { id: 7, total: 14 }, rules as never)
    expect(wrong.map(({ message }) => message)).toEqual([
      'expected a text that matches ^r-\\d+$, got 7',
      'expected a number from 12 to 13, got 14',
    ])
  })

  it('with * is for every key or index', async () => {
    expect(
      await differences({ ...OUTPUT, items: [{ sku: 'a' }, { sku: 'b' }] }, OUTPUT, {
        '/items/*/at': { ignore: true },
      }),
    ).toEqual([])
  })

  it('with a schema checks the value by it', async () => {
    const rules = { '': { schema: { type: 'object', required: ['x'] } } }
    expect(await differences(1, OUTPUT, rules)).toEqual([{ pointer: '', message: 'value.x: Required' }])
  })
})
