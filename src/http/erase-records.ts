import { startTimer } from '../lib/clock.ts'
import { addRows } from '../store/erasure-store.ts'
import type { ErasableRecord, ErasableRecords, ErasedRows } from '../store/erasure-store.ts'
import type { ErasedSpans } from '../store/trace-store.ts'
import type { Services } from './services.ts'

/** By then, the processes have stored the last spans of runs that were ended. */
const LATE_SPANS_MS = 5000

/**
 * Deletes executions and agent runs with their spans and log records. The records are deleted last: with them, a
 * deletion that was interrupted finds the rest again.
 *
 * @param owner of the spans that are also erased in traces with spans of others
 */
export async function eraseRecords(
  services: Services,
  records: ErasableRecords,
  owner: Pick<ErasedSpans, 'conversation' | 'userId'> = {},
): Promise<ErasedRows> {
  const { engine, logs } = services.current()
  const executionIds = records.executions.map(({ id }) => id)
  const all: readonly ErasableRecord[] = [...records.executions, ...records.runs]
  const traceIds = [...new Set(all.map(({ traceId }) => traceId))]
  const eraseTelemetry = async (): Promise<ErasedRows> => {
    const { spans, shared } = await services.traces.queries.erase(traceIds, { executionIds, ...owner })
    const whole = traceIds.filter((id) => !shared.includes(id))
    return { spans, logs: await logs.erase({ executionIds, traceIds: whole }) }
  }
  const rows = addRows(await eraseTelemetry(), await engine.erasure.delete(records))
  if (all.some(({ isOpen }) => isOpen)) {
    const again = () => {
      eraseTelemetry().catch((err: unknown) => {
        services.logger.warn({ err }, 'Late spans of deleted records were not deleted')
      })
    }
    startTimer(services.clock, LATE_SPANS_MS, again, { unref: true })
  }
  return rows
}

/** How many rows were deleted, without the tables that had none. */
export function countedRows(rows: ErasedRows): ErasedRows {
  return Object.fromEntries(Object.entries(rows).filter(([, count]) => count > 0))
}
