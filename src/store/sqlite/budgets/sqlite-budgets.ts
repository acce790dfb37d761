import type {
  BudgetAmount,
  BudgetCall,
  BudgetCounter,
  BudgetLimit,
  BudgetStore,
  ExceededLimit,
  HourUse,
  SubjectUse,
  TopRange,
} from '../../budget-store.ts'
import type { Database, Statement } from '../driver.ts'
import { inTransaction } from '../transaction.ts'

const SUMS = 'coalesce(sum(cost_nano), 0) AS costNano, coalesce(sum(tokens), 0) AS tokens'
const OTHERS = `FROM budget_hours WHERE declared_on = ? AND per = ? AND subject = ? AND hour >= ? AND call <> ?`
/** What is used of budgets, in SQLite. */
export class SqliteBudgets implements BudgetStore {
  readonly #database: Database
  readonly #used: Statement
  readonly #hours: Statement
  readonly #drop: Statement
  readonly #add: Statement
  readonly #reservations: Statement
  readonly #prune: Statement
  readonly #top: Readonly<Record<TopRange['by'], Statement>>

  constructor(database: Database) {
    const sql = (text: string): Statement => database.prepare(text)
    this.#database = database
    this.#used = sql(`SELECT ${SUMS} ${OTHERS}`)
    this.#hours = sql(`SELECT hour, ${SUMS} ${OTHERS} GROUP BY hour ORDER BY hour`)
    this.#drop = sql(`DELETE FROM budget_hours WHERE call = ? AND call <> ''`)
    this.#add = sql(
      `INSERT INTO budget_hours (declared_on, per, subject, hour, call, cost_nano, tokens, until)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (declared_on, per, subject, hour, call) DO UPDATE SET
         cost_nano = iif(call = '', cost_nano, 0) + excluded.cost_nano,
         tokens = iif(call = '', tokens, 0) + excluded.tokens, until = max(until, excluded.until)`,
    )
    this.#reservations = sql(
      `SELECT declared_on AS declaredOn, per, subject, hour, until AS untilHour FROM budget_hours
       WHERE call = ? AND call <> ''`,
    )
    this.#prune = sql(
      'DELETE FROM budget_hours WHERE number IN (SELECT number FROM budget_hours WHERE until <= ? LIMIT ?)',
    )
    const top = (by: string) =>
      sql(
        `SELECT subject, ${SUMS} FROM budget_hours WHERE declared_on = ? AND per = ? AND hour >= ?
         GROUP BY subject ORDER BY ${by} DESC, subject LIMIT ?`,
      )
    this.#top = { costNano: top('costNano'), tokens: top('tokens') }
  }

  async reserve({ call, hour, amount, limits }: BudgetCall): Promise<readonly ExceededLimit[]> {
    return inTransaction(this.#database, () => {
      const exceeded = limits.flatMap((limit, index) => this.#exceeded({ call, amount, limit, index }))
      if (exceeded.length > 0) return exceeded
      this.#drop.run(call)
      for (const limit of limits) this.#put(limit, { hour, call, amount })
      return []
    })
  }

  async settle(call: string, used: BudgetAmount): Promise<void> {
    inTransaction(this.#database, () => {
      const rows = this.#reservations.all(call) as (Counted & { readonly hour: number })[]
      this.#drop.run(call)
      for (const row of rows) this.#put(row, { hour: row.hour, call: '', amount: used })
    })
  }

  async top(
    { declaredOn, per }: Pick<BudgetCounter, 'declaredOn' | 'per'>,
    { fromHour, by, limit }: TopRange,
  ): Promise<SubjectUse[]> {
    return this.#top[by].all(declaredOn, per, fromHour, limit) as SubjectUse[]
  }

  async prune(hour: number, limit: number): Promise<number> {
    return Number(this.#prune.run(hour, limit).changes)
  }

  #exceeded({ call, amount, limit, index }: Checked): ExceededLimit[] {
    const { declaredOn, per, subject, fromHour } = limit
    const key = [declaredOn, per, subject, fromHour, call] as const
    if (limit.costNano === null && limit.tokens === null) return []
    const used = this.#used.get(...key) as BudgetAmount
    const fits =
      used.costNano + amount.costNano <= (limit.costNano ?? Infinity) &&
      used.tokens + amount.tokens <= (limit.tokens ?? Infinity)
    return fits ? [] : [{ index, hours: this.#hours.all(...key) as HourUse[] }]
  }

  /** Limits of one counter have one reservation. */
  #put({ declaredOn, per, subject, untilHour }: Counted, { hour, call, amount }: PutAmount): void {
    this.#add.run(declaredOn, per, subject, hour, call, amount.costNano, amount.tokens, untilHour)
  }
}

type Counted = BudgetCounter & Pick<BudgetLimit, 'untilHour'>

interface PutAmount {
  readonly hour: number
  readonly call: string
  readonly amount: BudgetAmount
}

interface Checked extends Pick<BudgetCall, 'call' | 'amount'> {
  readonly limit: BudgetLimit
  readonly index: number
}
