import type {
  ApprovalDecision,
  ApprovalFilter,
  ApprovalRow,
  DecideOptions,
  DecisionResult,
  RunSuspension,
} from '../agents/agent-approvals.ts'
import type { JobChange } from '../dispatcher.ts'
import type { Page } from '../page.ts'
import { APPROVAL_COLUMNS, APPROVAL_CONDITIONS } from '../rows/approval-columns.ts'
import type { JobTable } from './dispatch/job-table.ts'
import type { Database, Statement } from './driver.ts'
import type { RunJournal } from './run-journal.ts'
import { CallCounter } from './usage/call-counter.ts'
import { conditionsOf } from './where-clause.ts'
import { StatementCache } from './statement-cache.ts'
import { inTransaction } from './transaction.ts'

interface RunApprovalsDeps {
  readonly ownerEpoch: number
  readonly jobs: JobTable
  readonly journal: RunJournal
}

/** The approvals of suspended agent runs in SQLite. */
export class RunApprovals {
  readonly #database: Database
  readonly #deps: RunApprovalsDeps
  readonly #suspend: Statement
  readonly #insert: Statement
  readonly #find: Statement
  readonly #decide: Statement
  readonly #pending: Statement
  readonly #resume: Statement
  readonly #filtered: StatementCache
  readonly #calls: CallCounter

  constructor(database: Database, deps: RunApprovalsDeps) {
    const prepare = (sql: string) => database.prepare(sql)
    this.#database = database
    this.#deps = deps
    this.#filtered = new StatementCache(database)
    this.#calls = new CallCounter(database)
    // a run that had no continuation has one before its status changes, by which its end is noticed
    this.#suspend = prepare(
      `UPDATE agent_runs SET status = 'suspended', continuation = ?, expires_at = ?, output = ?, usage = ?, steps = ?
       WHERE id = ? AND owner_epoch = ? AND status = 'running' RETURNING number`,
    )
    this.#insert = prepare(
      `INSERT INTO agent_approvals (id, run, kind, tool_call_id, tool_name, input, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#find = prepare(
      "SELECT number FROM agent_runs WHERE id = ? AND status = 'suspended' AND expires_at > ?",
    )
    this.#decide = prepare(
      'UPDATE agent_approvals SET decided_at = ?, decision = ? WHERE id = ? AND run = ? AND decided_at IS NULL',
    )
    this.#pending = prepare('SELECT 1 FROM agent_approvals WHERE run = ? AND decided_at IS NULL LIMIT 1')
    this.#resume = prepare(
      "UPDATE agent_runs SET status = 'running', owner_epoch = ?, expires_at = NULL WHERE number = ?",
    )
  }

  suspend(id: string, suspension: RunSuspension, jobs: JobChange = {}): boolean {
    const { continuation, approvals, suspendedAt, expiresAt, output, usage, steps } = suspension
    return this.#change(() => {
      const row = this.#suspend.get(
        continuation,
        expiresAt,
        output,
        usage,
        steps,
        id,
        this.#deps.ownerEpoch,
      ) as { number: number } | undefined
      if (!row) return false
      for (const { id: approval, kind, toolCallId, toolName, input } of approvals)
        this.#insert.run(approval, row.number, kind, toolCallId, toolName, input, suspendedAt)
      this.#calls.add(suspension.calls ?? [], suspendedAt)
      this.#deps.jobs.change(jobs)
      return true
    })
  }

  decide(id: string, decisions: readonly ApprovalDecision[], options: DecideOptions): DecisionResult {
    const { decidedAt, jobs = {} } = options
    try {
      return this.#change(() => {
        const row = this.#find.get(id, decidedAt) as { number: number } | undefined
        if (!row) return 'refused'
        for (const { id: approval, decision } of decisions) {
          const { changes } = this.#decide.run(decidedAt, decision, approval, row.number)
          if (Number(changes) === 0) throw new NotPending()
        }
        if (this.#pending.get(row.number)) return 'waiting'
        this.#resume.run(this.#deps.ownerEpoch, row.number)
        this.#deps.journal.forgetParts(id)
        this.#deps.jobs.change(jobs)
        return 'claimed'
      })
    } catch (error) {
      if (error instanceof NotPending) return 'refused'
      throw error
    }
  }

  approvals(filter: ApprovalFilter, page: Page): ApprovalRow[] {
    const { where, values } = conditionsOf(APPROVAL_CONDITIONS, filter)
    const columns = APPROVAL_COLUMNS.map(([column, key]) => `${column} AS ${key}`).join(', ')
    const sql = `SELECT ${columns} FROM agent_approvals a JOIN agent_runs r ON r.number = a.run ${where}
      ORDER BY a.number LIMIT ? OFFSET ?`
    return this.#filtered.get(sql).all(...values, page.limit, page.offset) as ApprovalRow[]
  }

  count(filter: ApprovalFilter): number {
    const { where, values } = conditionsOf(APPROVAL_CONDITIONS, filter)
    const sql = `SELECT count(*) AS count FROM agent_approvals a JOIN agent_runs r ON r.number = a.run ${where}`
    return (this.#filtered.get(sql).get(...values) as { count: number }).count
  }

  /** Changes rows together with jobs. */
  #change<Result>(change: () => Result): Result {
    const { jobs } = this.#deps
    try {
      const result = inTransaction(this.#database, change)
      jobs.committed()
      return result
    } catch (error) {
      jobs.discard()
      throw error
    }
  }
}

/** Rolls the transaction back. */
class NotPending extends Error {}
