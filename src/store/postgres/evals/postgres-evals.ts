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
import type { Databases } from '../connection/database.ts'
import { RepeatedWrites } from '../connection/repeated-writes.ts'
import { pruneOldest } from '../prune-oldest.ts'

interface PostgresEvalDeps {
  readonly databases: Pick<Databases, 'writes'>
  /** Aborts when the store closes: writes wait no more. */
  readonly closing: AbortSignal
}

const RUNS = `SELECT ${EVAL_RUN_COLUMNS} FROM eval_runs`
const RUNNING = 'id = $1 AND ended_at IS NULL'
const ENDED = { table: 'eval_runs', age: 'ended_at', condition: 'ended_at IS NOT NULL' } as const

/** A case that was stored already, by a write whose answer was lost, is not counted again. */
const ADD_CASE = `WITH run AS (SELECT number FROM eval_runs WHERE ${RUNNING} FOR UPDATE),
  added AS (
    INSERT INTO eval_cases (run, position, result) SELECT number, $2, $3 FROM run ON CONFLICT DO NOTHING RETURNING run
  ),
  counted AS (
    UPDATE eval_runs SET ended_cases = ended_cases + 1, failed_cases = failed_cases + $4,
      score_sum = score_sum + $5, cost_nano = cost_nano + $6 WHERE number IN (SELECT run FROM added)
  )
  SELECT number FROM run`

/** Runs of evals. Everything is read where it is written, since a run is followed while it is written. */
export class PostgresEvals implements EvalStore {
  readonly #database: Databases['writes']
  readonly #writes: RepeatedWrites

  constructor({ databases, closing }: PostgresEvalDeps) {
    this.#database = databases.writes
    this.#writes = new RepeatedWrites(closing)
  }

  insert({ id, evalId, ownerEpoch, startedAt, commit }: NewEvalRun): Promise<boolean> {
    // a run that was stored by a write whose answer was lost is found again
    return this.#changes({
      name: 'insert_eval_run',
      text: `WITH inserted AS (
          INSERT INTO eval_runs (id, eval_id, status, owner_epoch, started_at, commit_id)
          VALUES ($1, $2, 'running', $3, $4, $5) ON CONFLICT DO NOTHING RETURNING id
        ) SELECT id FROM inserted UNION SELECT id FROM eval_runs WHERE id = $1`,
      values: [id, evalId, ownerEpoch, startedAt, commit],
    })
  }

  plan(id: string, { target, threshold, cases }: EvalPlan): Promise<boolean> {
    return this.#changes({
      name: 'plan_eval_run',
      text: `UPDATE eval_runs SET target = $2, threshold = $3, cases = $4 WHERE ${RUNNING} RETURNING id`,
      values: [id, target, threshold, cases],
    })
  }

  addCase(id: string, { position, score, costNano, result }: EndedEvalCase): Promise<boolean> {
    return this.#changes({
      name: 'add_eval_case',
      text: ADD_CASE,
      values: [id, position, result, score < 1 ? 1 : 0, score, costNano],
    })
  }

  end(id: string, { status, endedAt, error }: EvalRunEnd): Promise<boolean> {
    return this.#changes({
      name: 'end_eval_run',
      text: `UPDATE eval_runs SET status = $2, ended_at = $3, error = $4 WHERE ${RUNNING} RETURNING id`,
      values: [id, status, endedAt, error],
    })
  }

  async get(id: string): Promise<EvalRunRow | undefined> {
    const [row] = await this.#database.rows<EvalRunRow>({
      name: 'get_eval_run',
      text: `${RUNS} WHERE id = $1`,
      values: [id],
    })
    return row
  }

  list(evalId: string, { limit, offset }: Page): Promise<readonly EvalRunRow[]> {
    return this.#database.rows<EvalRunRow>({
      name: 'list_eval_runs',
      text: `${RUNS} WHERE eval_id = $1 ORDER BY number DESC LIMIT $2 OFFSET $3`,
      values: [evalId, limit, offset],
    })
  }

  async count(evalId: string): Promise<number> {
    const [row] = await this.#database.rows<{ total: number }>({
      name: 'count_eval_runs',
      text: 'SELECT count(*) AS total FROM eval_runs WHERE eval_id = $1',
      values: [evalId],
    })
    return row?.total ?? 0
  }

  newest(): Promise<readonly EvalRunRow[]> {
    return this.#database.rows<EvalRunRow>({
      name: 'newest_eval_runs',
      text: `${RUNS} WHERE number IN (SELECT max(number) FROM eval_runs GROUP BY eval_id) ORDER BY eval_id`,
    })
  }

  running(): Promise<readonly EvalRunRow[]> {
    return this.#database.rows<EvalRunRow>({
      name: 'running_eval_runs',
      text: `${RUNS} WHERE ended_at IS NULL ORDER BY number`,
    })
  }

  async cases(id: string, { limit, offset }: Page): Promise<readonly string[]> {
    const rows = await this.#database.rows<{ result: string }>({
      name: 'eval_cases',
      text: `SELECT result FROM eval_cases WHERE run = (SELECT number FROM eval_runs WHERE id = $1)
        ORDER BY number LIMIT $2 OFFSET $3`,
      values: [id, limit, offset],
    })
    return rows.map(({ result }) => result)
  }

  prune(retention: Retention, limit: number): Promise<number> {
    return pruneOldest(this.#database, ENDED, { ...retention, limit })
  }

  /** Whether the query, repeated until the database can be reached, returns a row. */
  async #changes(query: Parameters<Databases['writes']['rows']>[0]): Promise<boolean> {
    const rows = await this.#writes.run(() => this.#database.rows(query))
    return rows.length > 0
  }
}
