import type { ExecutionError, RecordedEvent } from '../../../../contract/event.ts'
import { timeOf } from '../../../execution/recorded-event.ts'

/** One time that a step's code ran. */
export interface Attempt {
  readonly number: number
  readonly start: number
  /** Undefined while it runs, and where the events don't say. */
  readonly end: number | undefined
  readonly status: 'running' | 'completed' | 'error' | 'suspended' | 'cancelled'
  readonly error?: ExecutionError
}

const ENDS = { 'step-complete': 'completed', 'step-error': 'error' } as const
const BREAKS = { 'workflow-suspended': 'suspended', 'workflow-cancelled': 'cancelled' } as const

/** The attempts of every step, by its id, in the order in which they began. */
export function attemptsOf(events: readonly RecordedEvent[]): ReadonlyMap<string, readonly Attempt[]> {
  const all = new Map<string, Attempt[]>()
  const open = new Map<string, Attempt[]>()
  const close = (list: Attempt[], change: Pick<Attempt, 'end' | 'status' | 'error'>) => {
    const last = list.at(-1)
    if (last) list[list.length - 1] = { ...last, ...change }
  }
  for (const event of events) {
    const { type, from } = event
    if (type === 'step-start') {
      const list = all.get(from) ?? []
      list.push({
        number: Number(event['attempt'] ?? 1),
        start: Date.parse(event.startTime),
        end: undefined,
        status: 'running',
      })
      all.set(from, list)
      open.set(from, list)
    } else if (type in ENDS) {
      const error = event['error'] as ExecutionError | undefined
      const status = ENDS[type as keyof typeof ENDS]
      close(open.get(from) ?? [], { end: timeOf(event), status, ...(error && { error }) })
      open.delete(from)
    } else if (type in BREAKS) {
      for (const list of open.values())
        close(list, { end: timeOf(event), status: BREAKS[type as keyof typeof BREAKS] })
      open.clear()
    }
  }
  return all
}
