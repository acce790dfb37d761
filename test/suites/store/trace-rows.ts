import type { TraceChange } from '../../../src/store/trace-store.ts'

export const T0 = 1_700_000_000_000

/** A span id: the time, then a counter. */
export const spanId = (at: number, count = 0) =>
  at.toString(16).padStart(12, '0') + count.toString(16).padStart(4, '0')
export const traceId = (name: string) => Buffer.from(name).toString('hex').padStart(32, '0')
export const nameOf = (id: string) => Buffer.from(id, 'hex').toString().replaceAll('\0', '')

export const spanOf = (at: number, count = 0, data = '{"endTime":1}') => ({
  spanId: spanId(at, count),
  isNew: true,
  data,
})

/** A change of a trace, with the values of the test. */
export function traceChange(name: string, parts: Partial<TraceChange> = {}): TraceChange {
  const { startedAt = T0 } = parts
  return {
    traceId: traceId(name),
    startedAt,
    endedAt: startedAt + 10,
    name: 'GET /hello',
    kind: 'server',
    status: 'ok',
    entity: undefined,
    usage: undefined,
    subjects: [],
    spans: [spanOf(startedAt)],
    ...parts,
  }
}
