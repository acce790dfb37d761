import type {
  EndedEvalCase,
  EvalPlan,
  EvalRunEnd,
  EvalRunRow,
  EvalStore,
  NewEvalRun,
} from '../../evals/eval-store.ts'
import type { Page } from '../../page.ts'
import type { Retention } from '../../retention.ts'
import { EVAL_RUN_COLUMNS } from '../../evals/eval-columns.ts'
import type { Database, Statement } from '../driver.ts'
import { inTransaction } from '../transaction.ts'

const RUNS = `SELECT ${EVAL_RUN_COLUMNS} FROM eval_runs`
const RUNNING = 'id = ? AND ended_at IS NULL'
const ENDED = 'SELECT number FROM eval_runs WHERE ended_at IS NOT NULL'

/** Runs of evals. */
export class SqliteEvals implements EvalStore {
  readonly #database: Database
  readonly #insert: Statement
  readonly #plan: Statement
  readonly #addCase: Statement
  readonly #count: Statement
  readonly #end: Statement
  readonly #get: Statement
  readonly #list: Statement
  readonly #total: Statement
  readonly #newest: Statement
  readonly #running: Statement
  readonly #cases: Statement
  readonly #expire: Statement
  readonly #ended: Statement
  readonly #deleteOldest: Statement

  constructor(database: Database) {
    const prepare = (sql: string) => database.prepare(sql)
    this.#database = database
    this.#insert = prepare(
      `INSERT INTO eval_runs (id, eval_id, status, owner_epoch, started_at, commit_id)
       VALUES (?, ?, 'running', ?, ?, ?) ON CONFLICT DO NOTHING`,
    )
    this.#plan = prepare(`UPDATE eval_runs SET target = ?, threshold = ?, cases = ? WHERE ${RUNNING}`)
    this.#addCase = prepare(
      `INSERT INTO eval_cases (run, position, result) SELECT number, ?, ? FROM eval_runs WHERE ${RUNNING}
       ON CONFLICT DO NOTHING`,
    )
    this.#count = prepare(
      `UPDATE eval_runs SET ended_cases = ended_cases + 1, failed_cases = failed_cases + ?,
         score_sum = score_sum + ?, cost_nano = cost_nano + ? WHERE ${RUNNING}`,
    )
    this.#end = prepare(`UPDATE eval_runs SET status = ?, ended_at = ?, error = ? WHERE ${RUNNING}`)
    this.#get = prepare(`${RUNS} WHERE id = ?`)
    this.#list = prepare(`${RUNS} WHERE eval_id = ? ORDER BY number DESC LIMIT ? OFFSET ?`)
    this.#total = prepare('SELECT count(*) AS total FROM eval_runs WHERE eval_id = ?')
    this.#newest = prepare(
      `${RUNS} WHERE number IN (SELECT max(number) FROM eval_runs GROUP BY eval_id) ORDER BY eval_id`,
    )
    this.#running = prepare(`${RUNS} WHERE ended_at IS NULL ORDER BY number`)
    this.#cases = prepare(
      `SELECT result FROM eval_cases WHERE run = (SELECT number FROM eval_runs WHERE id = ?)
       ORDER BY number LIMIT ? OFFSET ?`,
    )
    this.#expire = prepare(
      `DELETE FROM eval_runs WHERE number IN (${ENDED} AND ended_at < ? ORDER BY ended_at LIMIT ?)`,
    )
    this.#ended = prepare('SELECT count(*) AS total FROM eval_runs WHERE ended_at IS NOT NULL')
    this.#deleteOldest = prepare(
      `DELETE FROM eval_runs WHERE number IN (${ENDED} ORDER BY ended_at, number LIMIT ?)`,
    )
  }

  async insert({ id, evalId, ownerEpoch, startedAt, commit }: NewEvalRun): Promise<boolean> {
    return changed(this.#insert.run(id, evalId, ownerEpoch, startedAt, commit))
  }

  async plan(id: string, { target, threshold, cases }: EvalPlan): Promise<boolean> {
    return changed(this.#plan.run(target, threshold, cases, id))
  }

  async addCase(id: string, { position, score, costNano, result }: EndedEvalCase): Promise<boolean> {
    return inTransaction(this.#database, () => {
      if (changed(this.#addCase.run(position, result, id)))
        return changed(this.#count.run(score < 1 ? 1 : 0, score, costNano, id))
      return this.#find(id)?.status === 'running'
    })
  }

  async end(id: string, { status, endedAt, error }: EvalRunEnd): Promise<boolean> {
    return changed(this.#end.run(status, endedAt, error, id))
  }

  async get(id: string): Promise<EvalRunRow | undefined> {
    return this.#find(id)
  }

  async list(evalId: string, { limit, offset }: Page): Promise<readonly EvalRunRow[]> {
    return this.#list.all(evalId, limit, offset) as EvalRunRow[]
  }

  async count(evalId: string): Promise<number> {
    return (this.#total.get(evalId) as { total: number }).total
  }

  async newest(): Promise<readonly EvalRunRow[]> {
    return this.#newest.all() as EvalRunRow[]
  }

  async running(): Promise<readonly EvalRunRow[]> {
    return this.#running.all() as EvalRunRow[]
  }

  async cases(id: string, { limit, offset }: Page): Promise<readonly string[]> {
    return (this.#cases.all(id, limit, offset) as { result: string }[]).map(({ result }) => result)
  }

  async prune({ endedBefore, keep }: Retention, limit: number): Promise<number> {
    const expired = Number(this.#expire.run(endedBefore, limit).changes)
    if (expired > 0) return expired
    const surplus = (this.#ended.get() as { total: number }).total - keep
    return surplus > 0 ? Number(this.#deleteOldest.run(Math.min(surplus, limit)).changes) : 0
  }

  /** `get` of libsql adds a member to the row. */
  #find(id: string): EvalRunRow | undefined {
    return (this.#get.all(id) as EvalRunRow[])[0]
  }
}

function changed({ changes }: { readonly changes: number | bigint }): boolean {
  return Number(changes) > 0
}
