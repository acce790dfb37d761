import { isFinal } from '../../../contract/is-final.ts'
import type { ExecutionFilter, ExecutionHistory, ListedExecution } from '../../execution-store.ts'
import type { Page } from '../../page.ts'
import { EXECUTION_CONDITIONS, kindCondition } from '../../rows/executions/execution-columns.ts'
import { LISTED_COLUMNS, listedEvents, listedExecution } from '../../rows/executions/listed-values.ts'
import type { ListedRow } from '../../rows/executions/listed-values.ts'
import { historyOf } from '../../rows/executions/journal-row.ts'
import type { HistoryRow } from '../../rows/executions/journal-row.ts'
import type { PostgresQueries } from '../connection/database.ts'
import { escapeNul } from '../escape-nul.ts'
import { numberParameters } from '../parameters.ts'
import { conditionsOf, valuesOf, whereAll } from '../../sql/conditions.ts'
import type { Condition } from '../../sql/conditions.ts'
import { textQuery } from '../search/text-query.ts'
import { HISTORY_ROW, commitsOf, commitsUpTo, originalRow } from './execution-rows.ts'
import type { StoredCommits } from './execution-rows.ts'

const CONDITIONS = { ...EXECUTION_CONDITIONS, forkedFrom: 'origin_id = ?' } as const

const FOUND = 'number IN (SELECT record FROM search_documents WHERE kind = 0 AND words @@ ?::tsquery)'

interface PageQuery {
  readonly filter: ExecutionFilter
  readonly page: Page
  /** SQL behind the tables `e` and `p`. */
  readonly join?: string
}

/** Pages and counts of executions. Planned anew each time: the best index depends on the values. */
export class PostgresExecutionLists {
  readonly #database: PostgresQueries

  constructor(database: PostgresQueries) {
    this.#database = database
  }

  async list(filter: ExecutionFilter, page: Page): Promise<ListedExecution[]> {
    const events = `CROSS JOIN LATERAL (${commitsUpTo('e.last_sequence', listedEvents('j.events'))}) w`
    const columns = `${LISTED_COLUMNS}, w.seqs, w.commits`
    const rows = await this.#page<ListedRow & StoredCommits>(columns, { filter, page, join: events })
    return rows.map(({ seqs, commits, ...row }) =>
      listedExecution(originalRow(row), commitsOf({ seqs, commits })),
    )
  }

  async histories(filter: ExecutionFilter, page: Page): Promise<ExecutionHistory[]> {
    const rows = await this.#page<HistoryRow>(HISTORY_ROW, { filter, page })
    return rows.map((row) => historyOf(originalRow(row)))
  }

  async count(filter: ExecutionFilter): Promise<number> {
    const conditions = filterConditions(filter)
    const text = numberParameters(`SELECT count(*) AS total FROM executions ${whereAll(conditions)}`)
    const [row] = await this.#database.rows<{ total: number }>({ text, values: storedValues(conditions) })
    return row?.total ?? 0
  }

  #page<Row>(columns: string, { filter, page: { limit, offset }, join = '' }: PageQuery): Promise<Row[]> {
    const conditions = filterConditions(filter)
    // the subquery reads an index only, so that deep offsets skip index entries and not rows
    const text = numberParameters(
      `SELECT ${columns}
      FROM (SELECT number FROM executions ${whereAll(conditions)}
        ORDER BY created_at DESC, number DESC LIMIT ? OFFSET ?) page
      JOIN executions e ON e.number = page.number JOIN payloads p ON p.execution = e.number ${join}
      ORDER BY e.created_at DESC, e.number DESC`,
    )
    return this.#database.rows<Row>({ text, values: [...storedValues(conditions), limit, offset] })
  }
}

function filterConditions(filter: ExecutionFilter): Condition[] {
  const conditions: Condition[] = [
    { text: kindCondition(filter), values: [] },
    ...conditionsOf<keyof typeof CONDITIONS>(CONDITIONS, filter),
  ]
  const found = filter.search && textQuery(filter.search)
  if (found !== undefined) conditions.push({ text: FOUND, values: [found] })
  for (const [name, value] of Object.entries(filter.metadata ?? {}))
    conditions.push({ text: 'metadata::jsonb ->> ? = ?', values: [name, value] })
  // selects one of the two partial indexes on the status
  if (filter.status)
    conditions.push({ text: `ended_at IS ${isFinal(filter.status) ? 'NOT NULL' : 'NULL'}`, values: [] })
  return conditions
}

function storedValues(conditions: readonly Condition[]): unknown[] {
  return valuesOf(conditions).map((value) => (typeof value === 'string' ? escapeNul(value) : value))
}
