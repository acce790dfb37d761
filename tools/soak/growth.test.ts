import { expect, it } from 'vitest'
import { FIGURES, type Figure, type Sample } from './figures.ts'
import { growthOf, MIN_OF_QUARTER } from './growth.ts'

const DURATION_MS = 40_000

/** Forty samples, one a second, of figures that depend on the time. */
function samplesOf(figures: (second: number) => Sample['figures'], count = 40): Sample[] {
  return Array.from({ length: count }, (_, n) => ({
    at: n * (DURATION_MS / count),
    figures: figures(n),
    kinds: {},
    ended: n,
  }))
}

function grown(samples: readonly Sample[]): Figure[] | undefined {
  return growthOf(samples, DURATION_MS)
    ?.filter(({ isFlat }) => !isFlat)
    .map(({ figure }) => figure)
}

it('growthOf finds a figure that grows all the time, and no other', () => {
  const samples = samplesOf((second) => ({ heap: 40 + second / 2, rss: 150, timers: 30 + (second % 5) }))
  expect(grown(samples)).toEqual(['heap'])
  expect(growthOf(samples, DURATION_MS)).toEqual([
    expect.objectContaining({ figure: 'heap', before: 47.5, after: 57.5, allowed: 4 }),
    expect.objectContaining({ figure: 'rss', before: 150, after: 150 }),
    expect.objectContaining({ figure: 'timers' }),
  ])
})

it('growthOf allows a warm-up, and single values that are out of line', () => {
  const warm = (second: number) => Math.min(second, 9) * 10
  expect(grown(samplesOf((second) => ({ heap: warm(second), rss: second === 35 ? 900 : 100 })))).toEqual([])
})

it('growthOf finds a step of the second half, and allows what became less', () => {
  expect(grown(samplesOf((second) => ({ descriptors: second < 30 ? 40 : 60 })))).toEqual(['descriptors'])
  expect(grown(samplesOf((second) => ({ descriptors: second < 30 ? 60 : 40 })))).toEqual([])
})

it('growthOf allows growth up to the limit of the figure, which is the larger of its share and its least', () => {
  const { share, least } = FIGURES.rss.growth
  const by = (growth: number, before: number) =>
    samplesOf((second) => ({ rss: second < 30 ? before : before + growth }))
  expect(grown(by(least, 10))).toEqual([])
  expect(grown(by(least + 1, 10))).toEqual(['rss'])
  expect(grown(by(share * 1000, 1000))).toEqual([])
  expect(grown(by(share * 1000 + 1, 1000))).toEqual(['rss'])
})

it('growthOf leaves out what was not measured', () => {
  expect(
    growthOf(
      samplesOf(() => ({ database: 5 })),
      DURATION_MS,
    )?.map(({ figure }) => figure),
  ).toEqual(['database'])
})

it('growthOf decides nothing about too few samples', () => {
  const least = MIN_OF_QUARTER * 4
  expect(
    growthOf(
      samplesOf(() => ({ heap: 1 }), least),
      DURATION_MS,
    ),
  ).toBeDefined()
  expect(
    growthOf(
      samplesOf(() => ({ heap: 1 }), least - 4),
      DURATION_MS,
    ),
  ).toBeUndefined()
  expect(growthOf([], DURATION_MS)).toBeUndefined()
  // a server that answers late in the end
  expect(growthOf(samplesOf(() => ({ heap: 1 })).slice(0, 30), DURATION_MS)).toBeUndefined()
})
