import type { ScheduledJob } from '../../store/dispatcher.ts'

/** The error of a run whose responses did not come in time. */
export const EXPIRED_MESSAGE = 'The approvals expired'

/** A nested run gets its responses with the step or the run that asked it, and so waits longer. */
const NESTED_GRACE_MS = 24 * 3_600_000

/** When a run expires whose responses are expected until a time. */
export function expiryAt(at: number, isNested: boolean): number {
  return isNested ? at + NESTED_GRACE_MS : at
}

/** The job that ends a suspended run at its time. */
export function expiryJob(id: string, at: number): ScheduledJob {
  return { key: expiryKey(id), at, job: { kind: 'expire', id } }
}

export function expiryKey(id: string): string {
  return `expire:${id}`
}
