/** Label values of a series, in the order of its metric's labels. */
export type LabelValues = readonly string[]

export interface MetricOptions {
  readonly name: string
  readonly help: string
  /** Names of the labels. */
  readonly labels?: readonly string[]
  /** The unit (UCUM), for exports. */
  readonly unit?: string
}

/** The current values of a metric. */
export interface MetricFamily extends MetricOptions {
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  /** The upper bounds of the buckets of a histogram, in ascending order. */
  readonly bounds?: readonly number[]
  readonly points: readonly MetricPoint[]
}

export interface MetricPoint {
  readonly labels: LabelValues
  readonly value: number | HistogramValue
}

export interface HistogramValue {
  /** The number of values in each bucket; larger values are only in `count`. */
  readonly counts: readonly number[]
  readonly sum: number
  readonly count: number
}

/** Maximum number of series of a metric. Further label values are counted as `other`, to limit memory. */
const MAX_SERIES = 1000
const OTHER = 'other'

class Series<T> {
  readonly all = new Map<string, { readonly labels: LabelValues; value: T }>()
  readonly #make: () => T

  constructor(make: () => T) {
    this.#make = make
  }

  of(labels: LabelValues): { value: T } {
    const key = labels.join('\u0000')
    const known = this.all.get(key)
    if (known) return known
    if (this.all.size >= MAX_SERIES && labels.some((value) => value !== OTHER))
      return this.of(labels.map(() => OTHER))
    const made = { labels, value: this.#make() }
    this.all.set(key, made)
    return made
  }
}

/** A metric whose values only increase. Values are counted in whole parts of the unit, `parts` for one; default 1. */
export class Counter {
  readonly #options: MetricOptions
  readonly #parts: number
  readonly #series = new Series(() => 0)

  constructor({ parts = 1, ...options }: MetricOptions & { readonly parts?: number }) {
    this.#options = options
    this.#parts = parts
  }

  add(labels: LabelValues = [], by = 1): void {
    this.#series.of(labels).value += by
  }

  read(): MetricFamily {
    const points = [...this.#series.all.values()].map(({ labels, value }) => ({
      labels,
      value: value / this.#parts,
    }))
    return { ...this.#options, type: 'counter', points }
  }
}

/** A metric that counts values in buckets. `bounds` are the upper bounds of the buckets, in ascending order. */
export class Histogram {
  readonly #options: MetricOptions
  readonly #bounds: readonly number[]
  readonly #series: Series<{ readonly counts: number[]; sum: number; count: number }>

  constructor(options: MetricOptions, bounds: readonly number[]) {
    this.#options = options
    this.#bounds = bounds
    this.#series = new Series(() => ({ counts: bounds.map(() => 0), sum: 0, count: 0 }))
  }

  observe(labels: LabelValues, value: number): void {
    const { value: series } = this.#series.of(labels)
    series.sum += value
    series.count++
    const bucket = this.#bounds.findIndex((bound) => value <= bound)
    if (bucket !== -1) series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
  }

  read(): MetricFamily {
    const points = [...this.#series.all.values()]
    return { ...this.#options, type: 'histogram', bounds: this.#bounds, points }
  }
}

/** Returns a metric with another label, which has the same value for all series. */
export function withLabel(family: MetricFamily, label: string, value: string): MetricFamily {
  const { labels = [], points } = family
  const labelled = points.map((point) => ({ ...point, labels: [...point.labels, value] }))
  return { ...family, labels: [...labels, label], points: labelled }
}

/** Returns a metric in the Prometheus text format, version 0.0.4. */
export function renderMetric({ type, name, help, labels = [], bounds = [], points }: MetricFamily): string {
  const lines = points.flatMap(({ labels: values, value }) => {
    const pairs = labels.map((label, index) => [label, values[index] ?? ''] as const)
    if (typeof value === 'number') return [sampleLine(name, pairs, value)]
    let below = 0
    const buckets = bounds.map((bound, index) => {
      below += value.counts[index] ?? 0
      return sampleLine(`${name}_bucket`, [...pairs, ['le', String(bound)]], below)
    })
    return [
      ...buckets,
      sampleLine(`${name}_bucket`, [...pairs, ['le', '+Inf']], value.count),
      sampleLine(`${name}_sum`, pairs, value.sum),
      sampleLine(`${name}_count`, pairs, value.count),
    ]
  })
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function sampleLine(name: string, pairs: readonly (readonly [string, string])[], value: number): string {
  const inner = pairs.map(([label, text]) => `${label}="${escapeText(text)}"`).join(',')
  return `${name}${inner === '' ? '' : `{${inner}}`} ${formatNumber(value)}\n`
}

function escapeText(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function formatNumber(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}
