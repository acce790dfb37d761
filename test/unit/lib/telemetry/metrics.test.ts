import { expect, it } from 'vitest'
import { Counter, Histogram, renderMetric } from '../../../../src/lib/telemetry/metrics.ts'

it('counters add up by their labels', () => {
  const counter = new Counter({ name: 'n_total', help: 'Help.', labels: ['one', 'two'] })
  counter.add(['a', 'x'])
  counter.add(['a', 'x'], 2)
  counter.add(['a', 'y'])
  expect(renderMetric(counter.read())).toBe(
    '# HELP n_total Help.\n# TYPE n_total counter\nn_total{one="a",two="x"} 3\nn_total{one="a",two="y"} 1\n',
  )
})

it('histograms count values at or below each bound', () => {
  const histogram = new Histogram({ name: 'h', help: 'H', labels: ['l'] }, [0.1, 1])
  for (const value of [0.1, 0.5, 1, 7]) histogram.observe(['w'], value)
  expect(renderMetric(histogram.read()).split('\n')).toEqual([
    '# HELP h H',
    '# TYPE h histogram',
    'h_bucket{l="w",le="0.1"} 1',
    'h_bucket{l="w",le="1"} 3',
    'h_bucket{l="w",le="+Inf"} 4',
    'h_sum{l="w"} 8.6',
    'h_count{l="w"} 4',
    '',
  ])
})

it('label values and help texts are escaped', () => {
  const points = [{ labels: ['a"b\\c\nd'], value: Number.POSITIVE_INFINITY }]
  expect(renderMetric({ type: 'gauge', name: 'g', help: 'a\\b\nc', labels: ['l'], points })).toBe(
    '# HELP g a\\\\b\\nc\n# TYPE g gauge\ng{l="a\\"b\\\\c\\nd"} +Inf\n',
  )
  expect(
    renderMetric({ type: 'gauge', name: 'g', help: 'h', points: [{ labels: [], value: Number.NaN }] }),
  ).toContain('g NaN\n')
})

it('a metric without samples has help and type', () => {
  expect(renderMetric(new Counter({ name: 'n', help: 'h' }).read())).toBe('# HELP n h\n# TYPE n counter\n')
})

it('series beyond the maximum are counted as other', () => {
  const counter = new Counter({ name: 'n', help: 'h', labels: ['id'] })
  for (let n = 0; n < 5000; n++) counter.add([`id-${n}`])
  const lines = renderMetric(counter.read()).trimEnd().split('\n').slice(2)
  expect(lines.length).toBeLessThanOrEqual(1001)
  expect(lines).toContain('n{id="other"} 4000')
})
