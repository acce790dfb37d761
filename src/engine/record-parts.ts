import type { ExecutionRow } from '../store/execution-store.ts'
import type { Store } from '../store/store.ts'
import { waitingAmong } from './queue/too-many-waiting.ts'
import type { RecordParts } from './record/to-api.ts'

/** Reads what other tables have about executions. Returns a function that returns it for an id. */
export async function recordPartsOf(
  { queue, agentRuns }: Pick<Store, 'queue' | 'agentRuns'>,
  rows: readonly Pick<ExecutionRow, 'id' | 'status' | 'ownerEpoch'>[],
  suspectedSince: (id: string) => number | undefined = () => undefined,
): Promise<(id: string) => RecordParts> {
  const [waiting, usage] = await Promise.all([
    waitingAmong(queue, rows),
    rows.length === 0 ? undefined : agentRuns.usageOf(rows.map(({ id }) => id)),
  ])
  return (id) => {
    const since = suspectedSince(id)
    const suspected = since === undefined ? undefined : ({ reason: 'suspected', since } as const)
    return { waiting: waiting.get(id) ?? suspected, usage: usage?.get(id) }
  }
}
