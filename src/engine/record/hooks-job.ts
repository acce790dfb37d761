import type { ScheduledJob } from '../../store/dispatcher.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'

/** The stored job that runs the hooks of an execution which has ended. */
export function hooksJob(id: string): ScheduledJob {
  return { key: `hooks:${id}`, job: { kind: 'hooks', id } }
}

/** The job that ends an execution at its time; `undefined` when it has none. */
export function timeOutJob({
  id,
  timesOutAt,
}: Pick<ExecutionRow, 'id' | 'timesOutAt'>): Required<ScheduledJob> | undefined {
  return timesOutAt === null
    ? undefined
    : { key: `time-out:${id}`, job: { kind: 'time-out', id }, at: timesOutAt }
}
