import { expect, it } from 'vitest'
import { curvesOf } from './curves.ts'
import { FIGURES } from './figures.ts'
import { ladderTo } from './ladder.ts'

const drawn = curvesOf([
  { figure: 'list', size: 1000, value: 4 },
  { figure: 'list', size: 10_000, value: 5.25 },
  { figure: 'list', size: 100_000, value: 40 },
  { figure: 'start', size: 1000, value: 300 },
])

it('curvesOf draws a chart for each figure that was measured, with its sizes and values', () => {
  expect(drawn.match(/class="title"[^<]*/g)).toHaveLength(2)
  expect(drawn).toContain(`${FIGURES.list.of}: ${FIGURES.list.title} (ms)`)
  for (const text of ['>1,000<', '>10,000<', '>100,000<', '>5.25<', '>40<', '>300<'])
    expect(drawn).toContain(text)
})

it('curvesOf draws equal steps for powers of ten, and the largest value at the top', () => {
  expect(drawn).toContain('points="40,141 200,138.2 360,60"')
})

it('curvesOf draws a target where a figure comes near it, and names it always', () => {
  expect(drawn.match(/class="target" [^/]*/g)).toEqual(['class="target" x1="40" x2="360" y1="105" y2="105"'])
  expect(drawn).toContain('target ≤ 20 ms')
  expect(drawn).toContain('target ≤ 1000 ms')
})

it('ladderTo has the powers of ten from 1,000, and the size itself', () => {
  expect(ladderTo(100_000)).toEqual([1000, 10_000, 100_000])
  expect(ladderTo(5000)).toEqual([1000, 5000])
  expect(ladderTo(30)).toEqual([30])
})
