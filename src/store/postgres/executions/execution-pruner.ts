import { HOUR_MS } from '../../../lib/clock.ts'
import type { ExecutionStore } from '../../execution-store.ts'
import { KEPT_HOURS } from '../../rows/hour-columns.ts'
import { IS_LISTED } from '../../rows/executions/execution-columns.ts'
import { pruneOldestOf } from '../../sql/prune-oldest.ts'
import type { Sql } from '../../sql/sql.ts'
import { pruneUsage } from './prune-usage.ts'

/** Deletes ended executions that retention does not cover. Running and suspended executions are kept. */
export function executionPruner(sql: Sql): ExecutionStore['prune'] {
  const condition = `ended_at IS NOT NULL AND ${IS_LISTED}`
  const prune = pruneOldestOf(sql, { table: 'executions', age: 'ended_at', condition, deletionOf })
  return async (retention, limit) => {
    const before = Math.floor(retention.endedBefore / HOUR_MS) - KEPT_HOURS
    await pruneUsage(sql, before * HOUR_MS)
    return prune(retention, limit)
  }
}

/** Deletes executions with all that belongs to them. */
function deletionOf(numbers: string): string {
  const partsIn = (table: string) => `DELETE FROM ${table} WHERE execution IN (SELECT number FROM deleted)`
  return `WITH deleted AS (DELETE FROM executions WHERE number IN (${numbers}) RETURNING number),
      p AS (${partsIn('payloads')}), j AS (${partsIn('journal')}), m AS (${partsIn('milestones')}),
      u AS (${partsIn('execution_usage')}), s AS (${partsIn('step_models')})
    SELECT FROM deleted`
}
