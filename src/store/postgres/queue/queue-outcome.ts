import type { ScheduledJob } from '../../dispatcher.ts'
import { NOBODY } from '../../queue-store.ts'
import type { WaitReason } from '../../queue-store.ts'
import type { JobWriter } from '../executions/job-writer.ts'

/** What the functions of the queue return. */
export interface QueueOutcome {
  readonly kind: 'continue' | 'admit' | 'queued' | 'full'
  readonly id: string
  /** In the clock of the database. */
  readonly at: number | null
  readonly reason: WaitReason | null
}

export function jobsOfOutcomes(
  outcomes: readonly QueueOutcome[],
  { clockOffset }: Pick<JobWriter, 'clockOffset'>,
): ScheduledJob[] {
  return outcomes.flatMap(({ kind, id, at }): ScheduledJob[] => {
    if (kind === 'continue') return [{ key: `continue:${id}:${NOBODY}`, job: { kind, id, from: NOBODY } }]
    if (kind !== 'admit' || at === null) return []
    // jobs are stored with the time of this machine
    return [{ key: `admit:${id}:${at}`, job: { kind, workflowId: id }, at: at - clockOffset }]
  })
}
