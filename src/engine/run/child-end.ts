import type { ExecutionError } from '../../contract/event.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'
import { storedSuspension } from '../record/execution-events.ts'
import type { RunOutcome, StoredSuspension } from '../record/execution-events.ts'

/** How a child execution came to rest, as its parent needs to know it. `output` and `data` are JSON text. */
export type ChildEnd =
  | { readonly status: 'completed'; readonly output: string }
  | { readonly status: 'error'; readonly error: ExecutionError }
  | { readonly status: 'cancelled' }
  | {
      readonly status: 'suspended'
      readonly reason: string
      readonly data: string | null
      readonly resumeSchema: unknown
    }

/** From a run that ended in this process. */
export function childEndOf(rest: RunOutcome): ChildEnd {
  if (rest.status === 'suspended') return suspendedEnd(storedSuspension(rest))
  return rest
}

/** From a record; `undefined` while it says `running`. */
export function recordedChildEnd(row: ExecutionRow): ChildEnd | undefined {
  switch (row.status) {
    case 'running':
      return undefined
    case 'completed':
      return { status: 'completed', output: row.output ?? 'null' }
    case 'error':
      return {
        status: 'error',
        error: JSON.parse(row.error ?? '{"message":"","name":"Error"}') as ExecutionError,
      }
    case 'cancelled':
      return { status: 'cancelled' }
    case 'suspended':
      return suspendedEnd(JSON.parse(row.suspension ?? '{"reason":""}') as StoredSuspension)
  }
}

function suspendedEnd({ reason, data, resumeSchema }: StoredSuspension): ChildEnd {
  return { status: 'suspended', reason, data: data === undefined ? null : JSON.stringify(data), resumeSchema }
}
