import { describe, expect, it } from 'vitest'
import { aroundChange, jsonDiff } from '../../../../src/console/json/json-diff.ts'

describe('jsonDiff', () => {
  it('lists every path where the values differ, and no other', () => {
    const before = { a: 1, list: [1, { x: 'y' }], gone: null, same: { deep: [1] } }
    const after = { a: 2, list: [1, { x: 'z' }, 3], 'new key': [], same: { deep: [1] } }
    expect(jsonDiff(before, after)).toEqual([
      { path: 'a', kind: 'changed', before: 1, after: 2 },
      { path: 'list[1].x', kind: 'changed', before: 'y', after: 'z' },
      { path: 'list[2]', kind: 'added', after: 3 },
      { path: 'gone', kind: 'removed', before: null },
      { path: '["new key"]', kind: 'added', after: [] },
    ])
  })

  it('reports values of different types as a change of the whole value', () => {
    expect(jsonDiff([], {})).toEqual([{ path: '', kind: 'changed', before: [], after: {} }])
    expect(jsonDiff(undefined, 0)).toEqual([{ path: '', kind: 'added', after: 0 }])
    expect(jsonDiff({ a: [] }, { a: [] })).toEqual([])
    expect(jsonDiff(null, null)).toEqual([])
  })

  it('compares own members only, also when they are named like inherited ones', () => {
    expect(jsonDiff({}, JSON.parse('{"__proto__":1,"constructor":2}'))).toEqual([
      { path: '__proto__', kind: 'added', after: 1 },
      { path: 'constructor', kind: 'added', after: 2 },
    ])
  })
})

const SAME = 'x'.repeat(200)

describe('aroundChange', () => {
  it('keeps sixty characters of what is the same on each side of a change', () => {
    const context = 'x'.repeat(60)
    expect(aroundChange(`${SAME}one${SAME}`, `${SAME}two${SAME}`)).toEqual([
      `…${context}one${context}…`,
      `…${context}two${context}…`,
    ])
  })

  it('shows an insertion, a deletion and short texts as they are', () => {
    expect(aroundChange('ab', 'aab')).toEqual(['ab', 'aab'])
    expect(aroundChange(SAME, `${SAME}x`)).toEqual([`…${'x'.repeat(60)}`, `…${'x'.repeat(61)}`])
    expect(aroundChange('', 'a')).toEqual(['', 'a'])
  })

  it('leaves values that are not texts', () => {
    expect(aroundChange(1, { a: 2 })).toEqual([1, { a: 2 }])
    expect(aroundChange(undefined, SAME)).toEqual([undefined, SAME])
  })
})
