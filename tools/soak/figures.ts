/** How far a figure may grow between the second and the last quarter of a soak. */
interface Growth {
  /** Share of the figure in the second quarter. */
  readonly share: number
  /** In the unit of the figure, whatever the share is. */
  readonly least: number
  /** Why so much is no leak. */
  readonly why: string
}

interface FigureRule {
  readonly name: string
  readonly unit: string
  readonly growth: Growth
}

/**
 * The figures of a soak. A leak grows with the work and with the time, so what stays in a second half of many thousands of
 * executions exceeds these limits, and what depends on the moment of a sample does not. Of several machines a figure is the
 * largest; the database is one.
 */
export const FIGURES = {
  heap: {
    name: 'objects after a collection',
    unit: 'MB',
    growth: { share: 0.05, least: 4, why: 'executions in progress' },
  },
  code: {
    name: 'compiled code',
    unit: 'MB',
    growth: { share: 0.3, least: 4, why: 'V8 compiles again what runs often, and each reload the project' },
  },
  external: {
    name: 'memory outside of the heap',
    unit: 'MB',
    growth: { share: 0.2, least: 4, why: 'buffers of the requests in progress' },
  },
  rss: {
    name: 'resident memory',
    unit: 'MB',
    growth: { share: 0.15, least: 25, why: 'V8 and malloc give pages back late, and not all of them' },
  },
  descriptors: {
    name: 'open descriptors',
    unit: '',
    growth: { share: 0.1, least: 12, why: 'connections of the moment, which come and go' },
  },
  resources: {
    name: 'active resources',
    unit: '',
    growth: { share: 0.1, least: 12, why: 'connections and timers of the moment' },
  },
  timers: {
    name: 'timers',
    unit: '',
    growth: { share: 0.1, least: 20, why: 'sleeps, waits and requests of the moment have one each' },
  },
  emitters: {
    name: 'event emitters',
    unit: '',
    growth: { share: 0.1, least: 60, why: 'a request has a dozen: sockets, messages, streams' },
  },
  signals: {
    name: 'abort signals',
    unit: '',
    growth: { share: 0.1, least: 60, why: 'a step, a request and a wait have some each' },
  },
  listeners: {
    name: 'listeners of both',
    unit: '',
    growth: { share: 0.1, least: 150, why: 'a request has some dozens' },
  },
  database: {
    name: 'database',
    unit: 'MB',
    growth: { share: 0.1, least: 8, why: 'pages of deleted records are used again, some of them later' },
  },
  wal: {
    name: 'write-ahead log',
    unit: 'MB',
    growth: { share: 0.25, least: 32, why: 'it is written back from 32 MB on, and does not get smaller' },
  },
  median: {
    name: 'execute, p50',
    unit: 'ms',
    growth: { share: 0.5, least: 3, why: 'other programs of the machine' },
  },
  slowest: {
    name: 'execute, p99',
    unit: 'ms',
    growth: { share: 1, least: 25, why: 'other programs of the machine, and one reload among the requests' },
  },
  delay: {
    name: 'delay of the event loop, p99',
    unit: 'ms',
    growth: { share: 1, least: 15, why: 'other programs of the machine, and one reload within the sample' },
  },
} as const satisfies Readonly<Record<string, FigureRule>>

export type Figure = keyof typeof FIGURES

/** What was measured at one time. */
export interface Sample {
  /** Milliseconds since the start of the soak. */
  readonly at: number
  readonly figures: Readonly<Partial<Record<Figure, number>>>
  /** Active resources of each kind, as Node.js names them. */
  readonly kinds: Readonly<Record<string, number>>
  /** Executions and answers that have ended since the start. */
  readonly ended: number
}
