import { HOUR_MS } from '../../activity-store.ts'
import type {
  ActivityCounts,
  ActivityQuery,
  HourCounts,
  RecentAgentRun,
  RecentExecution,
  SliceCounts,
  SliceQuery,
} from '../../activity-store.ts'
import { FAILED, IS_LISTED, NEEDS_INPUT } from '../../rows/executions/execution-columns.ts'
import { HOUR_COLUMNS } from '../../rows/hour-columns.ts'
import { slicesQuery } from '../../rows/slice-sums.ts'
import type { Database, Statement } from '../driver.ts'

export type HourColumn = (typeof HOUR_COLUMNS)[number][1]

type HourSums = Record<HourColumn, number | null>

const NOTHING = Object.fromEntries(HOUR_COLUMNS.map(([, key]) => [key, 0])) as HourSums

/** Sums the counts of a transaction, so that the row of an hour is written once. */
export class HourTally {
  readonly #add: Statement
  readonly #hours = new Map<number, HourSums>()

  constructor(database: Database) {
    const names = HOUR_COLUMNS.map(([column]) => column)
    const sums = names.map((name) => `${name} = ${name} + excluded.${name}`)
    this.#add = database.prepare(
      `INSERT INTO hours (hour, ${names.join(', ')}) VALUES (?, ${names.map(() => '?').join(', ')})
       ON CONFLICT (hour) DO UPDATE SET ${sums.join(', ')}`,
    )
  }

  /** Adds to a count of the hour of `at`; with null it is unknown. */
  count(at: number, column: HourColumn, by: number | null = 1): void {
    const hour = Math.floor(at / HOUR_MS)
    const row = this.#hours.get(hour) ?? { ...NOTHING }
    const before = row[column]
    row[column] = before === null || by === null ? null : before + by
    this.#hours.set(hour, row)
  }

  /** Writes the counts. Must be called in the transaction. */
  store(): void {
    for (const [hour, row] of this.#hours) this.#add.run(hour, ...HOUR_COLUMNS.map(([, key]) => row[key]))
    this.#hours.clear()
  }

  /** Discards the counts, after a rollback. */
  discard(): void {
    this.#hours.clear()
  }
}

/** Queries of the counts. Open executions are counted in small partial indexes. */
export class ActivityReader {
  readonly #open: Statement
  readonly #waiting: Statement
  readonly #failed: Statement
  readonly #hours: Statement
  readonly #slices: Statement
  readonly #recent: Statement
  readonly #recentAgentRuns: Statement

  constructor(database: Database) {
    const counted = (where: string) =>
      database.prepare(`SELECT count(*) AS total FROM (SELECT 1 FROM executions WHERE ${where} LIMIT ?)`)
    this.#open = counted(`ended_at IS NULL AND status = ? AND ${IS_LISTED}`)
    this.#waiting = counted(`${NEEDS_INPUT} AND ${IS_LISTED}`)
    this.#failed = counted(`${FAILED} AND ${IS_LISTED} AND ended_at > ?`)
    const columns = HOUR_COLUMNS.map(([column, key]) => `${column} AS ${key}`).join(', ')
    this.#hours = database.prepare(`SELECT hour, ${columns} FROM hours WHERE hour >= ? ORDER BY hour`)
    this.#recent = database.prepare(
      `SELECT id, status, created_at AS createdAt, ended_at AS endedAt FROM executions
       WHERE workflow_id = ? ORDER BY created_at DESC, number DESC LIMIT ?`,
    )
    const used = (key: string) => `CAST(usage ->> '$.${key}' AS INTEGER)`
    this.#slices = database.prepare(slicesQuery({ after: '?1', limit: '?2', used }))
    this.#recentAgentRuns = database.prepare(
      `SELECT id, status, started_at AS startedAt, ended_at AS endedAt, trace_id AS traceId FROM agent_runs
       WHERE agent_id = ? ORDER BY started_at DESC, number DESC LIMIT ?`,
    )
  }

  counts({ failedAfter, limit: most }: ActivityQuery): ActivityCounts {
    return {
      running: total(this.#open.all('running', most)),
      suspended: total(this.#open.all('suspended', most)),
      waiting: total(this.#waiting.all(most)),
      failed: total(this.#failed.all(failedAfter, most)),
    }
  }

  hours(from: number): HourCounts[] {
    return this.#hours.all(from) as HourCounts[]
  }

  slices({ after, limit }: SliceQuery): SliceCounts[] {
    return this.#slices.all(after, limit) as SliceCounts[]
  }

  recentAgentRuns(agentId: string, limit: number): RecentAgentRun[] {
    return this.#recentAgentRuns.all(agentId, limit) as RecentAgentRun[]
  }

  recent(workflowId: string, limit: number): RecentExecution[] {
    return this.#recent.all(workflowId, limit) as RecentExecution[]
  }
}

function total(rows: readonly unknown[]): number {
  return (rows[0] as { total: number }).total
}
