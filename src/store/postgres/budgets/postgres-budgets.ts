import { groupBy } from '../../../lib/group-by.ts'
import type {
  BudgetAmount,
  BudgetCall,
  BudgetCounter,
  BudgetStore,
  ExceededLimit,
  SubjectUse,
  TopRange,
} from '../../budget-store.ts'
import type { PostgresDatabases } from '../connection/postgres-databases.ts'
import { RepeatedWrites } from '../connection/repeated-writes.ts'
import { escapeNul, unescapeNul } from '../escape-nul.ts'

const SETTLE = `WITH reserved AS (
    DELETE FROM budget_hours WHERE call = $1 AND call <> '' RETURNING declared_on, per, subject, hour, until
  )
  INSERT INTO budget_hours AS b (declared_on, per, subject, hour, call, cost_nano, tokens, until)
  SELECT declared_on, per, subject, hour, '', $2::bigint, $3::bigint, until FROM reserved ORDER BY declared_on, per, subject, hour
  ON CONFLICT (declared_on, per, subject, hour, call) DO UPDATE SET
    cost_nano = b.cost_nano + excluded.cost_nano, tokens = b.tokens + excluded.tokens, until = greatest(b.until, excluded.until)`

const PRUNE = `DELETE FROM budget_hours WHERE ctid = ANY (ARRAY (
  SELECT ctid FROM budget_hours WHERE until <= $1 LIMIT $2))`

interface RefusedRow {
  readonly index: number
  /** Null if nothing was used. */
  readonly hour: number | null
  readonly costNano: number
  readonly tokens: number
}

interface BudgetDeps {
  readonly databases: Pick<PostgresDatabases, 'writes' | 'reads'>
  readonly closing: AbortSignal
}

/** What is used of budgets, in Postgres. */
export class PostgresBudgets implements BudgetStore {
  readonly #databases: BudgetDeps['databases']
  readonly #repeated: RepeatedWrites

  constructor({ databases, closing }: BudgetDeps) {
    this.#databases = databases
    this.#repeated = new RepeatedWrites(closing)
  }

  async reserve({ call, hour, amount, limits }: BudgetCall): Promise<readonly ExceededLimit[]> {
    const given = limits.map((limit, index) => ({ ...limit, index, subject: escapeNul(limit.subject) }))
    const query = {
      name: 'reserve_budget',
      text: 'SELECT index, hour, cost_nano AS "costNano", tokens FROM reserve_budget($1, $2, $3, $4, $5)',
      values: [escapeNul(call), hour, amount.costNano, amount.tokens, JSON.stringify(given)],
    }
    const rows = await this.#repeated.run(() => this.#databases.writes.rows<RefusedRow>(query))
    return [...groupBy(rows, ({ index }) => index)].map(([index, used]) => ({
      index,
      hours: used.flatMap(({ hour: at, costNano, tokens }) =>
        at === null ? [] : [{ hour: at, costNano, tokens }],
      ),
    }))
  }

  async settle(call: string, { costNano, tokens }: BudgetAmount): Promise<void> {
    const query = { name: 'settle_budget', text: SETTLE, values: [escapeNul(call), costNano, tokens] }
    await this.#repeated.run(() => this.#databases.writes.change(query))
  }

  async top(
    { declaredOn, per }: Pick<BudgetCounter, 'declaredOn' | 'per'>,
    { fromHour, by, limit }: TopRange,
  ): Promise<SubjectUse[]> {
    const text = `SELECT subject, sum(cost_nano)::bigint AS "costNano", sum(tokens)::bigint AS tokens FROM budget_hours
      WHERE declared_on = $1 AND per = $2 AND hour >= $3 GROUP BY subject ORDER BY "${by}" DESC, subject LIMIT $4`
    const query = { name: `top_of_budget_by_${by}`, text, values: [declaredOn, per, fromHour, limit] }
    const rows = await this.#databases.reads.rows<SubjectUse>(query)
    return rows.map((row) => ({ ...row, subject: unescapeNul(row.subject) }))
  }

  prune(hour: number, limit: number): Promise<number> {
    return this.#databases.writes.change({ name: 'prune_budgets', text: PRUNE, values: [hour, limit] })
  }
}
