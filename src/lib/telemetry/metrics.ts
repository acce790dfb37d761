/** Label values of a series, in the order of its metric's labels. */
export type LabelValues = readonly string[]

export interface MetricOptions {
  readonly name: string
  readonly help: string
  /** Names of the labels. */
  readonly labels?: readonly string[]
}

/** Series that one metric has at most; what would be more counts under `other`. */
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

/** A number that only grows. */
export class Counter {
  readonly #options: MetricOptions
  readonly #series = new Series(() => 0)

  constructor(options: MetricOptions) {
    this.#options = options
  }

  add(labels: LabelValues = [], by = 1): void {
    this.#series.of(labels).value += by
  }

  /** In the text format of Prometheus. */
  render(): string {
    return exposition('counter', this.#options, [...this.#series.all.values()])
  }
}

/** How often values fell below bounds, which are given in ascending order. */
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

  /** In the text format of Prometheus. */
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
    return exposition('histogram', this.#options, samples)
  }
}

export interface MetricSample {
  /** Behind the metric's name. */
  readonly suffix?: string
  readonly labels: LabelValues
  /** A label more, and its value. */
  readonly extra?: readonly [name: string, value: string]
  readonly value: number
}

/** A metric with its samples in the text format of Prometheus, version 0.0.4. */
export function exposition(
  type: 'counter' | 'gauge' | 'histogram',
  { name, help, labels = [] }: MetricOptions,
  samples: readonly MetricSample[],
): string {
  const lines = samples.map(({ suffix = '', labels: values, extra, value }) => {
    const pairs = [
      ...labels.map((label, index) => [label, values[index] ?? ''] as const),
      ...(extra ? [extra] : []),
    ]
    const inner = pairs.map(([label, text]) => `${label}="${escaped(text)}"`).join(',')
    return `${name}${suffix}${inner === '' ? '' : `{${inner}}`} ${number(value)}\n`
  })
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function number(value: number): string {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}
