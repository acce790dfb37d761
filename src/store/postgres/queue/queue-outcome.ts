import type { ScheduledJob } from '../../dispatcher.ts'
import { NOBODY } from '../../queue-store.ts'
import type { WaitReason } from '../../queue-store.ts'

/** What the functions of the queue return. */
export interface QueueOutcome {
  readonly kind: 'go-on' | 'admit' | 'queued'
  readonly id: string
  readonly at: number | null
  readonly reason: WaitReason | null
}

export function jobsOfOutcomes(outcomes: readonly QueueOutcome[]): ScheduledJob[] {
  return outcomes.flatMap(({ kind, id, at }): ScheduledJob[] => {
    if (kind === 'queued') return []
    const time = at === null ? {} : { at }
    if (kind === 'admit') return [{ key: `admit:${id}:${at}`, job: { kind, workflowId: id }, ...time }]
    return [{ key: `go-on:${id}:${NOBODY}`, job: { kind, id, from: NOBODY } }]
  })
}
