import { expect, it } from 'vitest'
import { parseDuration } from '../../../src/lib/duration.ts'

it.each([
  ['500ms', 500],
  ['10s', 10_000],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['7d', 604_800_000],
  ['1w', 604_800_000],
  ['1.5h', 5_400_000],
  [0, 0],
  [1500, 1500],
])('parseDuration reads %s as %i ms', (value, ms) => {
  expect(parseDuration(value)).toBe(ms)
})

it.each([
  ['-1s'],
  [-1],
  ['5'],
  ['5 m'],
  ['5M'],
  ['m'],
  [''],
  ['1h30m'],
  [Number.NaN],
  [Infinity],
  [null],
  ['1000000w'],
])('parseDuration refuses %s', (value) => {
  expect(parseDuration(value)).toBeUndefined()
})
