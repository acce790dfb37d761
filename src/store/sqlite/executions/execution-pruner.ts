import { DAY_MS, HOUR_MS } from '../../../lib/clock.ts'
import { IS_LISTED } from '../../rows/executions/execution-columns.ts'
import { KEPT_HOURS } from '../../rows/hour-columns.ts'
import type { Retention } from '../../retention.ts'
import type { Database, Statement } from '../driver.ts'
import { inTransaction } from '../transaction.ts'

const TABLES = [
  ['journal', 'execution'],
  ['payloads', 'execution'],
  ['execution_usage', 'execution'],
  ['step_models', 'execution'],
  ['executions', 'number'],
] as const

interface Numbered {
  readonly number: number
}

/** Deletes ended executions that retention does not cover. Running and suspended executions are kept. */
export class ExecutionPruner {
  readonly #database: Database
  readonly #expired: Statement
  readonly #ended: Statement
  readonly #oldest: Statement
  readonly #markMilestones: Statement
  readonly #deletes: readonly Statement[]
  readonly #deleteHours: readonly Statement[]
  readonly #deleteDays: Statement

  constructor(database: Database) {
    this.#database = database
    this.#expired = database.prepare(
      `SELECT number FROM executions WHERE ended_at < ? AND ${IS_LISTED} ORDER BY ended_at LIMIT ?`,
    )
    this.#ended = database.prepare(
      `SELECT count(*) AS total FROM executions WHERE ended_at IS NOT NULL AND ${IS_LISTED}`,
    )
    this.#oldest = database.prepare(
      `SELECT number FROM executions WHERE ended_at IS NOT NULL AND ${IS_LISTED} ORDER BY ended_at LIMIT ?`,
    )
    this.#markMilestones = database.prepare(
      `UPDATE owner SET pruned_milestone = max(pruned_milestone, coalesce(
       (SELECT max(milestone) FROM journal WHERE execution = ? AND milestone IS NOT NULL), 0))`,
    )
    this.#deleteHours = ['hours', 'model_hours'].map((table) =>
      database.prepare(`DELETE FROM ${table} WHERE hour < ?`),
    )
    this.#deleteDays = database.prepare('DELETE FROM step_days WHERE day < ?')
    this.#deletes = TABLES.map(([table, column]) =>
      database.prepare(`DELETE FROM ${table} WHERE ${column} = ?`),
    )
  }

  prune({ endedBefore, keep }: Retention, limit: number): number {
    const before = Math.floor(endedBefore / HOUR_MS) - KEPT_HOURS
    for (const statement of this.#deleteHours) statement.run(before)
    this.#deleteDays.run(Math.floor((before * HOUR_MS) / DAY_MS))
    const expired = this.#expired.all(endedBefore, limit) as Numbered[]
    if (expired.length > 0) return this.#delete(expired)
    const surplus = (this.#ended.get() as { total: number }).total - keep
    return surplus > 0 ? this.#delete(this.#oldest.all(Math.min(surplus, limit)) as Numbered[]) : 0
  }

  #delete(rows: readonly Numbered[]): number {
    inTransaction(this.#database, () => {
      for (const { number } of rows)
        for (const statement of [this.#markMilestones, ...this.#deletes]) statement.run(number)
    })
    return rows.length
  }
}
