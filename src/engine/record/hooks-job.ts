import type { ScheduledJob } from '../../store/dispatcher.ts'

/** The stored job that runs the hooks of an execution which has ended. */
export function hooksJob(id: string): ScheduledJob {
  return { key: `hooks:${id}`, job: { kind: 'hooks', id } }
}
