import { DAY_MS, HOUR_MS } from '../../../lib/clock.ts'
import { CALL_COLUMNS, PLACE_COLUMNS, additions } from '../../rows/call-columns.ts'
import { HOUR_COLUMNS } from '../../rows/hour-columns.ts'
import { sumOf } from '../../sql/usage.ts'
import type { Sql } from '../../sql/sql.ts'

interface UsageTable {
  readonly table: string
  readonly period: string
  readonly ms: number
  readonly keys: readonly string[]
  readonly counts: readonly string[]
}

const TABLES: readonly UsageTable[] = [
  {
    table: 'hours',
    period: 'hour',
    ms: HOUR_MS,
    keys: [],
    counts: HOUR_COLUMNS.map(([column]) => column),
  },
  {
    table: 'model_hours',
    period: 'hour',
    ms: HOUR_MS,
    keys: PLACE_COLUMNS.map(([column]) => column),
    counts: CALL_COLUMNS.map(([column]) => column),
  },
  {
    table: 'step_days',
    period: 'day',
    ms: DAY_MS,
    keys: ['workflow_id', 'step', 'bucket'],
    counts: ['completed', 'errors'],
  },
]

/** Deletes what is older than a time, and merges the rows of the machines where no machine changes them any more. */
export async function pruneUsage(sql: Sql, before: number): Promise<void> {
  for (const each of TABLES) {
    const { table, period, ms } = each
    await sql.run(`DELETE FROM ${table} WHERE ${period} < ?`, [Math.floor(before / ms)])
    await sql.run(mergeOf(each))
  }
}

/** An hour, or a day, late, as clocks differ. */
function mergeOf({ table, period, ms, keys, counts }: UsageTable): string {
  const unique = [period, ...keys].join(', ')
  return `WITH merged AS (
      DELETE FROM ${table} WHERE (${unique}, owner_epoch) IN (
        SELECT ${unique}, owner_epoch FROM ${table}
        WHERE owner_epoch <> 0 AND ${period} < floor(extract(epoch FROM now()) * 1000 / ${ms}) - 1 FOR UPDATE SKIP LOCKED
      ) RETURNING *
    )
    INSERT INTO ${table} AS t (${unique}, owner_epoch, ${counts.join(', ')})
    SELECT ${unique}, 0, ${counts.map(sumOf).join(', ')} FROM merged
    GROUP BY ${unique} ORDER BY ${unique}
    ON CONFLICT (${unique}, owner_epoch) DO UPDATE SET ${additions(counts, 't')}`
}
