import type { ExecutionRecord } from '../../../contract/endpoints/execution.ts'

/** What a suspended execution waits for: a time, an event, or the response of a person or a program. */
export type WaitKind = 'sleep' | 'event' | 'person'

export function waitKindOf({ suspension }: Pick<ExecutionRecord, 'suspension'>): WaitKind {
  if (suspension?.event !== undefined) return 'event'
  return suspension?.reason === 'sleeping' ? 'sleep' : 'person'
}
