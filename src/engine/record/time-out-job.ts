import type { ScheduledJob } from '../../store/dispatcher.ts'
import type { ExecutionRow } from '../../store/execution-store.ts'

/** The job that ends an execution at its time; `undefined` when it has none. */
export function timeOutJob({
  id,
  timesOutAt,
}: Pick<ExecutionRow, 'id' | 'timesOutAt'>): Required<ScheduledJob> | undefined {
  return timesOutAt === null
    ? undefined
    : { key: `time-out:${id}`, job: { kind: 'time-out', id }, at: timesOutAt }
}
