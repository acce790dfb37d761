import type { Measurement } from '../report.ts'

interface Figure {
  readonly title: string
  readonly of: 'finished executions' | 'suspended executions' | 'sleeping executions'
  readonly unit: string
  readonly bar?: NonNullable<Measurement['bar']>
}

/** The figures that are measured at several sizes. */
export const FIGURES = {
  start: { title: 'start, processor time', of: 'finished executions', unit: 'ms', bar: { atMost: 1000 } },
  bytes: { title: 'bytes of one with its trace', of: 'finished executions', unit: 'kB' },
  listMedian: { title: 'list of one workflow with its count, p50', of: 'finished executions', unit: 'ms' },
  list: {
    title: 'list of one workflow with its count, p95',
    of: 'finished executions',
    unit: 'ms',
    bar: { atMost: 20 },
  },
  search: { title: 'search, p95', of: 'finished executions', unit: 'ms', bar: { atMost: 20 } },
  memory: { title: 'resident memory', of: 'finished executions', unit: 'MB' },
  suspendedStart: {
    title: 'start, processor time',
    of: 'suspended executions',
    unit: 'ms',
    bar: { atMost: 1000 },
  },
  suspendedMemory: { title: 'resident memory', of: 'suspended executions', unit: 'MB' },
  sleepingMemory: { title: 'resident memory', of: 'sleeping executions', unit: 'MB' },
  wake: { title: 'wake-up of all at once', of: 'sleeping executions', unit: 's' },
} as const satisfies Readonly<Record<string, Figure>>

export type FigureName = keyof typeof FIGURES

/** A figure at one size. */
export interface Point {
  readonly figure: FigureName
  /** Number of executions. */
  readonly size: number
  readonly value: number
  readonly note?: string
}

export function measurementOf({ figure, size, value, note }: Point): Measurement {
  const { title, of, unit, ...rest }: Figure = FIGURES[figure]
  return {
    name: `${size.toLocaleString('en-US')} ${of}: ${title}`,
    measured: value,
    unit,
    ...rest,
    ...(note !== undefined && { note }),
  }
}
