import type { ScheduledJob } from '../../store/dispatcher.ts'

/** The error of a run whose responses did not come in time. */
export const EXPIRED_MESSAGE = 'The approvals expired'

/** The job that ends a suspended run at its time. */
export function expiryJob(id: string, at: number): ScheduledJob {
  return { key: expiryKey(id), at, job: { kind: 'expire', id } }
}

export function expiryKey(id: string): string {
  return `expire:${id}`
}
