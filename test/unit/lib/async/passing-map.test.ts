import { expect, test } from 'vitest'
import { PassingMap } from '../../../../src/lib/async/passing-map.ts'

test('a passing map holds what was put in and not taken out', () => {
  const map = new PassingMap<{ index: number }>()
  for (const [index, key] of ['a', '__proto__', 'constructor', '7', 'a'].entries()) map.set(key, { index })
  expect(map.size).toBe(4)
  expect(['a', '__proto__', 'constructor', '7'].map((key) => map.get(key)?.index)).toEqual([4, 1, 2, 3])
  expect(map.get('toString')).toBe(undefined)
  expect(map.has('toString')).toBe(false)
  map.delete('__proto__')
  map.delete('nothing')
  expect(map.size).toBe(3)
  expect(map.has('__proto__')).toBe(false)
  expect(map.values().map(({ index }) => index)).toEqual([3, 4, 2])
})
