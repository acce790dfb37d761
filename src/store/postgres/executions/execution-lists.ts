import { isFinal } from '../../../contract/is-final.ts'
import type { ExecutionFilter, ListedExecution } from '../../execution-store.ts'
import type { Page } from '../../page.ts'
import type { Queries } from '../connection/database.ts'
import { escapeNul } from '../escape-nul.ts'
import { EXECUTION_ROW, commitsUpTo, listedExecution } from './execution-rows.ts'
import type { StoredListing } from './execution-rows.ts'

/** Each is followed by its parameter. */
const CONDITIONS = {
  id: 'id =',
  workflowId: 'workflow_id =',
  status: 'status =',
  userId: 'user_id =',
  conversationId: 'conversation_id =',
  parentExecutionId: 'parent_id =',
  forkedFrom: 'origin_id =',
  openTo: 'coalesce(owner = $, true)',
  from: 'created_at >',
  to: 'created_at <',
} as const satisfies Record<keyof ExecutionFilter, string>

/** Pages and counts of executions. Planned anew each time: the best index depends on the values. */
export class PostgresExecutionLists {
  readonly #database: Queries

  constructor(database: Queries) {
    this.#database = database
  }

  async list(filter: ExecutionFilter, { limit, offset }: Page): Promise<ListedExecution[]> {
    const { where, values } = conditionsOf(filter)
    // the subquery reads an index only, so that deep offsets skip index entries and not rows
    const rows = await this.#database.rows<StoredListing>({
      text: `SELECT ${EXECUTION_ROW}, w.seqs, w.commits
        FROM (SELECT number FROM executions ${where} ORDER BY created_at DESC, number DESC
          LIMIT $${values.length + 1} OFFSET $${values.length + 2}) page
        JOIN executions e ON e.number = page.number JOIN payloads p ON p.execution = e.number
        CROSS JOIN LATERAL (${commitsUpTo('e.last_sequence')}) w
        ORDER BY e.created_at DESC, e.number DESC`,
      values: [...values, limit, offset],
    })
    return rows.map((row) => listedExecution(row))
  }

  async count(filter: ExecutionFilter): Promise<number> {
    const { where, values } = conditionsOf(filter)
    const text = `SELECT count(*) AS total FROM executions ${where}`
    return (await this.#database.rows<{ total: number }>({ text, values }))[0]?.total ?? 0
  }
}

function conditionsOf(filter: ExecutionFilter): { where: string; values: unknown[] } {
  const keys = (Object.keys(CONDITIONS) as (keyof ExecutionFilter)[]).filter(
    (key) => filter[key] !== undefined,
  )
  const conditions = keys.map((key, index) => {
    const condition = CONDITIONS[key]
    return condition.includes('$') ? condition.replace('$', `$${index + 1}`) : `${condition} $${index + 1}`
  })
  // selects one of the two partial indexes on the status
  if (filter.status) conditions.push(`ended_at IS ${isFinal(filter.status) ? 'NOT NULL' : 'NULL'}`)
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
  return { where, values: keys.map((key) => storable(filter[key])) }
}

function storable(value: string | number | undefined): string | number | undefined {
  return typeof value === 'string' ? escapeNul(value) : value
}
