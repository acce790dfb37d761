import type { EventRange, Milestone } from '../../execution-store.ts'
import type { Database, Statement } from '../driver.ts'
import type { ExecutionReader } from './execution-reader.ts'

/** Queries of milestones. */
export class Milestones {
  readonly newest: () => number
  readonly #executions: ExecutionReader
  readonly #commits: Statement

  constructor(database: Database, executions: ExecutionReader) {
    this.#executions = executions
    this.newest = newestMilestone(database)
    this.#commits = database.prepare(
      `SELECT milestone AS number, id, seq FROM journal JOIN executions ON executions.number = execution
       WHERE milestone > ? ORDER BY milestone LIMIT ?`,
    )
  }

  read({ after, limit, chars = Number.POSITIVE_INFINITY }: EventRange): Milestone[] {
    const found: Milestone[] = []
    let size = 0
    for (const { number, id, seq } of this.#commits.all(after, limit) as MilestoneCommit[]) {
      const milestone = this.#executions.milestone(id, seq)
      if (!milestone) continue
      const { input, output, events } = milestone.execution
      size += events.reduce((sum, { data }) => sum + data.length, input.length + (output?.length ?? 0))
      if (found.length > 0 && size > chars) break
      found.push({ number, ...milestone })
    }
    return found
  }
}

interface MilestoneCommit {
  readonly number: number
  readonly id: string
  readonly seq: number
}

/** Returns a query of the highest milestone number so far, including deleted milestones. */
export function newestMilestone(database: Database): () => number {
  const statement = database.prepare(
    `SELECT max(pruned_milestone, coalesce(
     (SELECT max(milestone) FROM journal WHERE milestone IS NOT NULL), 0)) AS newest FROM owner`,
  )
  return () => (statement.all() as [{ newest: number }])[0].newest
}
