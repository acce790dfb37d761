/** Label values of a series, in the order of its metric's labels. */
export type LabelValues = readonly string[]

export interface MetricOptions {
  readonly name: string
  readonly help: string
  /** Names of the labels. */
  readonly labels?: readonly string[]
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

/** A metric whose values only increase. */
export class Counter {
  readonly #options: MetricOptions
  readonly #series = new Series(() => 0)

  constructor(options: MetricOptions) {
    this.#options = options
  }

  add(labels: LabelValues = [], by = 1): void {
    this.#series.of(labels).value += by
  }

  /** The metric in the Prometheus text format. */
  render(): string {
    return renderMetric('counter', this.#options, [...this.#series.all.values()])
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

  /** The metric in the Prometheus text format. */
  render(): string {
    const samples = [...this.#series.all.values()].flatMap(({ labels, value: { counts, sum, count } }) => {
      let below = 0
      const buckets = this.#bounds.map((bound, index) => {
        below += counts[index] ?? 0
        return { suffix: '_bucket', labels, extra: ['le', String(bound)] as const, value: below }
      })
      return [
        ...buckets,
        { suffix: '_bucket', labels, extra: ['le', '+Inf'] as const, value: count },
        { suffix: '_sum', labels, value: sum },
        { suffix: '_count', labels, value: count },
      ]
    })
    return renderMetric('histogram', this.#options, samples)
  }
}

export interface MetricSample {
  /** Appended to the metric's name, such as `_sum`. */
  readonly suffix?: string
  readonly labels: LabelValues
  /** An additional label and its value. */
  readonly extra?: readonly [name: string, value: string]
  readonly value: number
}

/** Returns a metric and its samples in the Prometheus text format, version 0.0.4. */
export function renderMetric(
  type: 'counter' | 'gauge' | 'histogram' | 'summary',
  { name, help, labels = [] }: MetricOptions,
  samples: readonly MetricSample[],
): string {
  const lines = samples.map(({ suffix = '', labels: values, extra, value }) => {
    const pairs = [
      ...labels.map((label, index) => [label, values[index] ?? ''] as const),
      ...(extra ? [extra] : []),
    ]
    const inner = pairs.map(([label, text]) => `${label}="${escapeText(text)}"`).join(',')
    return `${name}${suffix}${inner === '' ? '' : `{${inner}}`} ${formatNumber(value)}\n`
  })
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function escapeText(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function formatNumber(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}
