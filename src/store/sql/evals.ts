import type {
  EndedEvalCase,
  EvalPlan,
  EvalRunEnd,
  EvalRunRow,
  EvalStore,
  NewEvalRun,
} from '../evals/eval-store.ts'
import type { Page } from '../page.ts'
import { pruneOldestOf } from './prune-oldest.ts'
import { tx } from './sql.ts'
import type { Sql } from './sql.ts'

/** The columns of a run, with the names of its row. Quoted, since Postgres folds names to lower case. */
const COLUMNS = [
  'id',
  'eval_id AS "evalId"',
  'status',
  'owner_epoch AS "ownerEpoch"',
  'started_at AS "startedAt"',
  'ended_at AS "endedAt"',
  'commit_id AS "commit"',
  'target',
  'threshold',
  'cases',
  'ended_cases AS "endedCases"',
  'failed_cases AS "failedCases"',
  'score_sum AS "scoreSum"',
  'cost_nano AS "costNano"',
  'error',
].join(', ')
const RUNS = `SELECT ${COLUMNS} FROM eval_runs`
const RUNNING = 'id = ? AND ended_at IS NULL'

const INSERT = `INSERT INTO eval_runs (id, eval_id, status, owner_epoch, started_at, commit_id)
  VALUES (?, ?, 'running', ?, ?, ?) ON CONFLICT DO NOTHING`
const PLAN = `UPDATE eval_runs SET target = ?, threshold = ?, cases = ? WHERE ${RUNNING}`
const ADD_CASE = `INSERT INTO eval_cases (run, position, result) SELECT number, ?, ? FROM eval_runs WHERE ${RUNNING}`
const COUNT_CASE = `UPDATE eval_runs SET ended_cases = ended_cases + 1, failed_cases = failed_cases + ?,
  score_sum = score_sum + ?, cost_nano = cost_nano + ? WHERE id = ?`
const IS_RUNNING = `SELECT 1 FROM eval_runs WHERE ${RUNNING}`
const END = `UPDATE eval_runs SET status = ?, ended_at = ?, error = ? WHERE ${RUNNING}`
const GET = `${RUNS} WHERE id = ?`
const LIST = `${RUNS} WHERE eval_id = ? ORDER BY number DESC LIMIT ? OFFSET ?`
const COUNT = 'SELECT count(*) AS total FROM eval_runs WHERE eval_id = ?'
const NEWEST = `${RUNS} WHERE number IN (SELECT max(number) FROM eval_runs GROUP BY eval_id) ORDER BY eval_id`
const ALL_RUNNING = `${RUNS} WHERE ended_at IS NULL ORDER BY number`
const CASES = `SELECT result FROM eval_cases WHERE run = (SELECT number FROM eval_runs WHERE id = ?)
  ORDER BY number LIMIT ? OFFSET ?`

/** Runs of evals. A write that is repeated because its answer was lost returns the same. */
export class SqlEvals implements EvalStore {
  readonly prune: EvalStore['prune']
  readonly #sql: Sql
  readonly #addCase: string

  constructor(sql: Sql) {
    this.#sql = sql
    this.#addCase = `${ADD_CASE} ${sql.dialect.forUpdate} ON CONFLICT DO NOTHING`
    this.prune = pruneOldestOf(sql, {
      table: 'eval_runs',
      age: 'ended_at',
      condition: 'ended_at IS NOT NULL',
    })
  }

  async insert({ id, evalId, ownerEpoch, startedAt, commit }: NewEvalRun): Promise<boolean> {
    const inserted = await this.#sql.run(INSERT, [id, evalId, ownerEpoch, startedAt, commit])
    return inserted > 0 || (await this.get(id)) !== undefined
  }

  async plan(id: string, { target, threshold, cases }: EvalPlan): Promise<boolean> {
    return (await this.#sql.run(PLAN, [target, threshold, cases, id])) > 0
  }

  addCase(id: string, { position, score, costNano, result }: EndedEvalCase): Promise<boolean> {
    const addCase = this.#addCase
    return this.#sql.transaction(function* () {
      if ((yield* tx.run(addCase, [position, result, id])) === 0)
        return (yield* tx.all(IS_RUNNING, [id])).length > 0
      yield* tx.run(COUNT_CASE, [score < 1 ? 1 : 0, score, costNano, id])
      return true
    })
  }

  async end(id: string, { status, endedAt, error }: EvalRunEnd): Promise<boolean> {
    return (await this.#sql.run(END, [status, endedAt, error, id])) > 0
  }

  get(id: string): Promise<EvalRunRow | undefined> {
    return this.#sql.first(GET, [id])
  }

  list(evalId: string, { limit, offset }: Page): Promise<readonly EvalRunRow[]> {
    return this.#sql.all(LIST, [evalId, limit, offset])
  }

  async count(evalId: string): Promise<number> {
    return (await this.#sql.first<{ total: number }>(COUNT, [evalId]))?.total ?? 0
  }

  newest(): Promise<readonly EvalRunRow[]> {
    return this.#sql.all(NEWEST)
  }

  running(): Promise<readonly EvalRunRow[]> {
    return this.#sql.all(ALL_RUNNING)
  }

  async cases(id: string, { limit, offset }: Page): Promise<readonly string[]> {
    const rows = await this.#sql.all<{ result: string }>(CASES, [id, limit, offset])
    return rows.map(({ result }) => result)
  }
}
