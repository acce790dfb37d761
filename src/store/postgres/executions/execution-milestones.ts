import type { EventRange, ExecutionRow, Milestone } from '../../execution-store.ts'
import type { PostgresQueries } from '../connection/database.ts'
import { EXECUTION_ROW, MAX_OCTETS, commitsUpTo, executionWithEvents } from './execution-rows.ts'
import type { StoredCommits } from './execution-rows.ts'

interface StoredMilestone extends ExecutionRow, StoredCommits {
  readonly milestone: number
  readonly isFirst: boolean
  readonly isLast: boolean
  /** Size of the milestones before. */
  readonly before: number
}

const SIZE = `octet_length(p.input) + coalesce(octet_length(e.output), 0) + coalesce(octet_length(w.commits), 0)`

/** Queries of milestones. */
export class PostgresMilestones {
  readonly #database: PostgresQueries

  constructor(database: PostgresQueries) {
    this.#database = database
  }

  async read({ after, limit, chars = Number.POSITIVE_INFINITY }: EventRange): Promise<Milestone[]> {
    const rows = await this.#database.rows<StoredMilestone>({
      name: 'milestones',
      text: `SELECT * FROM (
          SELECT ${EXECUTION_ROW}, w.seqs, w.commits, m.number AS milestone,
            NOT EXISTS (SELECT FROM milestones o WHERE o.execution = m.execution AND o.seq < m.seq) AS "isFirst",
            NOT EXISTS (SELECT FROM milestones o WHERE o.execution = m.execution AND o.seq > m.seq) AS "isLast",
            sum(${SIZE}) OVER (ORDER BY m.number) - (${SIZE}) AS before
          FROM (SELECT * FROM milestones WHERE number > $1 ORDER BY number LIMIT $2) m
          JOIN executions e ON e.number = m.execution JOIN payloads p ON p.execution = e.number
          CROSS JOIN LATERAL (${commitsUpTo('m.seq')}) w
        ) sized WHERE $3::float8 IS NULL OR before <= $3::float8 ORDER BY milestone`,
      values: [after, limit, chars === Number.POSITIVE_INFINITY ? null : MAX_OCTETS * chars],
    })
    const found: Milestone[] = []
    let size = 0
    for (const { milestone: number, isFirst, isLast, before: _, ...row } of rows) {
      const execution = executionWithEvents(row)
      const { input, output, events } = execution
      size += events.reduce((sum, { data }) => sum + data.length, input.length + (output?.length ?? 0))
      if (found.length > 0 && size > chars) break
      found.push({ number, isFirst, isLast, execution })
    }
    return found
  }

  async newest(): Promise<number> {
    const text = 'SELECT milestone FROM counters'
    return (
      (await this.#database.rows<{ milestone: number }>({ name: 'newest_milestone', text }))[0]?.milestone ??
      0
    )
  }
}
