import { expect, it } from 'vitest'
import { EXIT } from '../chaos/verdict.ts'
import type { FigureGrowth } from './growth.ts'
import { exitCodeOf, reportOf, sparkline } from './report.ts'
import type { SoakResult } from './soak.ts'

const HEAP: FigureGrowth = {
  figure: 'heap',
  before: 40,
  after: 41.25,
  allowed: 4,
  isFlat: true,
  curve: [30, 38, 40, 41],
}
const TIMERS: FigureGrowth = { ...HEAP, figure: 'timers', after: 90, allowed: 20, isFlat: false }

const RESULT: SoakResult = {
  durationMs: 180_000,
  growth: [HEAP],
  failures: [],
  ended: 3000,
  saves: 36,
  deploys: 0,
  interrupted: 0,
}

it('reportOf has a line for each figure, and says that everything is flat', () => {
  expect(reportOf(RESULT)).toBe(
    `figure                      2nd → last quarter  limit          curve
objects after a collection  40 → 41.3 MB        ≤ +4 MB  flat  ▁▆▇█

3.0 minutes, 3000 executions and answers, 36 saves, 0 deploys
Everything is flat.
`,
  )
  expect(exitCodeOf(RESULT)).toBe(EXIT.held)
})

it('reportOf names what grew, what failed, and the folder', () => {
  const failures = Array.from({ length: 12 }, (_, n) => `quick-${n}: 500`)
  const grown: SoakResult = { ...RESULT, growth: [HEAP, TIMERS], failures, interrupted: 2, kept: '/tmp/x' }
  const report = reportOf(grown)
  expect(report).toMatch(/^timers +40 → 90 +≤ \+20 +GREW/m)
  expect(report.split('\n').slice(4)).toEqual([
    '3.0 minutes, 3000 executions and answers, 36 saves, 0 deploys',
    '2 requests were interrupted by a deploy, and made again',
    ...failures.slice(0, 10).map((failure) => `failed: ${failure}`),
    '… and 2 more',
    'Grew: timers',
    'Samples, database and logs: /tmp/x',
    '',
  ])
  expect(exitCodeOf(grown)).toBe(EXIT.violated)
})

it('reportOf is undecided after too few samples, unless a request failed', () => {
  const short: SoakResult = { ...RESULT, growth: undefined }
  expect(reportOf(short)).toContain('Undecided: too few samples')
  expect(exitCodeOf(short)).toBe(EXIT.undecided)
  expect(exitCodeOf({ ...short, failures: ['quick-0: 500'] })).toBe(EXIT.violated)
  expect(reportOf({ ...RESULT, failures: ['quick-0: 500'] })).toContain('\n1 requests failed\n')
})

it('sparkline draws the medians of as many parts as it is wide', () => {
  expect(sparkline([1, 1, 1])).toBe('▁▁▁')
  expect(sparkline([0, 0, 9, 5, 5, 5, 10, 10, 10], 3)).toBe('▁▅█')
})
