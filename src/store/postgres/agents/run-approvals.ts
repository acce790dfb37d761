import type {
  AgentApprovalStore,
  ApprovalDecision,
  ApprovalFilter,
  ApprovalRow,
  DecideOptions,
  DecisionResult,
  RunSuspension,
} from '../../agents/agent-approvals.ts'
import { HOUR_MS } from '../../activity-store.ts'
import type { JobChange } from '../../dispatcher.ts'
import type { Page } from '../../page.ts'
import { KEPT_REQUEST } from '../../rows/agent-run-columns.ts'
import { APPROVAL_COLUMNS, APPROVAL_CONDITIONS } from '../../rows/approval-columns.ts'
import type { PostgresQueries } from '../connection/database.ts'
import type { JobWriter } from '../executions/job-writer.ts'
import { escapeNul, unescapeNul } from '../escape-nul.ts'
import { callsJson, countCalls } from '../usage/count-calls.ts'
import { numberParameters } from '../parameters.ts'
import { valuesOf, whereAll } from '../../sql/conditions.ts'
import { filterConditions } from './filter-conditions.ts'
import type { RunJournalDeps } from './run-journal.ts'

const SUSPEND = `WITH run AS (UPDATE agent_runs SET status = 'suspended', continuation = $3, expires_at = $4, output = $5,
    usage = $6, steps = $7
    WHERE id = $1 AND owner_epoch = $2 AND status = 'running' RETURNING number),
  added AS (INSERT INTO agent_approvals (id, run, kind, tool_call_id, tool_name, input, created_at)
    SELECT given.id, run.number, kind, tool_call_id, tool_name, input, $8::bigint
    FROM run, unnest($9::text[], $10::text[], $11::text[], $12::text[], $13::text[])
      WITH ORDINALITY AS given (id, kind, tool_call_id, tool_name, input, place) ORDER BY place),
  ${countCalls({ calls: '$14', at: '$8', ownerEpoch: '$2' })}
  SELECT 1 FROM run`

const DECIDE = `UPDATE agent_approvals a SET decided_at = $2, decision = given.decision
  FROM unnest($3::text[], $4::text[]) AS given (id, decision)
  WHERE a.id = given.id AND a.run = $1 AND a.decided_at IS NULL`

const RESUME = `WITH run AS (UPDATE agent_runs SET status = 'running', owner_epoch = $2, expires_at = NULL
    WHERE number = $1 AND NOT EXISTS (SELECT 1 FROM agent_approvals WHERE run = $1 AND decided_at IS NULL)
    RETURNING number),
  forgotten AS (DELETE FROM agent_parts USING run WHERE run = run.number)
  SELECT 1 FROM run`

const EXPIRE = `WITH run AS (UPDATE agent_runs SET status = 'error', ended_at = $2, error = $3, continuation = ${KEPT_REQUEST},
    expires_at = NULL
    WHERE id = $1 AND status = 'suspended' AND expires_at <= $2 RETURNING ended_at),
  counted AS (INSERT INTO hours (owner_epoch, hour, answers) SELECT $4::bigint, ended_at / ${HOUR_MS}, 1 FROM run
    ON CONFLICT (owner_epoch, hour) DO UPDATE SET answers = hours.answers + 1)
  SELECT 1 FROM run`

export interface RunApprovalsDeps extends Omit<RunJournalDeps, 'closing'> {
  readonly jobs: JobWriter
}

const CONDITIONS = {
  ...APPROVAL_CONDITIONS,
  runIds: 'r.id IN (SELECT jsonb_array_elements_text(?::jsonb))',
}

/** The approvals of suspended agent runs in Postgres. */
export class PostgresRunApprovals implements AgentApprovalStore {
  readonly #deps: RunApprovalsDeps

  constructor(deps: RunApprovalsDeps) {
    this.#deps = deps
  }

  async suspend(id: string, suspension: RunSuspension, jobs: JobChange = {}): Promise<boolean> {
    const { continuation, approvals, suspendedAt, expiresAt, output, usage, steps } = suspension
    const given = [
      approvals.map((approval) => escapeNul(approval.id)),
      approvals.map(({ kind }) => kind),
      approvals.map(({ toolCallId }) => escapeNul(toolCallId)),
      approvals.map(({ toolName }) => escapeNul(toolName)),
      approvals.map(({ input }) => input),
    ]
    const values = [escapeNul(id), this.#deps.ownerEpoch, continuation, expiresAt, output, usage, steps]
    const calls = callsJson(suspension.calls)
    return this.#change(id, async (tx) => {
      const rows = await tx.rows({ text: SUSPEND, values: [...values, suspendedAt, ...given, calls] })
      if (rows.length > 0) await this.#changeJobs(tx, jobs)
      return rows.length > 0
    })
  }

  async decide(
    id: string,
    decisions: readonly ApprovalDecision[],
    { decidedAt, jobs = {} }: DecideOptions,
  ): Promise<DecisionResult> {
    let result: DecisionResult = 'refused'
    try {
      await this.#change(id, async (tx) => {
        // locked: two that decide the last ones at the same time must see each other
        const [run] = await tx.rows<{ number: number }>({
          text: "SELECT number FROM agent_runs WHERE id = $1 AND status = 'suspended' AND expires_at > $2 FOR UPDATE",
          values: [escapeNul(id), decidedAt],
        })
        if (!run) return false
        const ids = decisions.map((decision) => escapeNul(decision.id))
        const texts = decisions.map(({ decision }) => decision)
        const decided = await tx.change({ text: DECIDE, values: [run.number, decidedAt, ids, texts] })
        if (decided < decisions.length) throw new NotPending()
        const resumed = await tx.rows({ text: RESUME, values: [run.number, this.#deps.ownerEpoch] })
        result = resumed.length > 0 ? 'claimed' : 'waiting'
        if (result === 'claimed') await this.#changeJobs(tx, jobs)
        return true
      })
      return result
    } catch (error) {
      if (error instanceof NotPending) return 'refused'
      throw error
    }
  }

  async expire(
    id: string,
    { endedAt, error }: { readonly endedAt: number; readonly error: string },
  ): Promise<boolean> {
    const values = [escapeNul(id), endedAt, escapeNul(error), this.#deps.ownerEpoch]
    return this.#change(id, async (tx) => (await tx.rows({ text: EXPIRE, values })).length > 0)
  }

  async approvals(filter: ApprovalFilter, page: Page): Promise<ApprovalRow[]> {
    const conditions = filterConditions(CONDITIONS, filter)
    const columns = APPROVAL_COLUMNS.map(([column, key]) => `${column} AS "${key}"`).join(', ')
    const rows = await this.#deps.databases.reads.rows<ApprovalRow>({
      text: numberParameters(
        `SELECT ${columns} FROM agent_approvals a JOIN agent_runs r ON r.number = a.run ${whereAll(conditions)}
         ORDER BY a.number LIMIT ? OFFSET ?`,
      ),
      values: [...valuesOf(conditions), page.limit, page.offset],
    })
    return rows.map((row) => ({
      ...row,
      id: unescapeNul(row.id),
      toolCallId: unescapeNul(row.toolCallId),
      toolName: unescapeNul(row.toolName),
      userId: unescapeNul(row.userId),
      conversationId: unescapeNul(row.conversationId),
    }))
  }

  async countApprovals(filter: ApprovalFilter): Promise<number> {
    const conditions = filterConditions(CONDITIONS, filter)
    const [row] = await this.#deps.databases.reads.rows<{ count: number }>({
      text: numberParameters(
        `SELECT count(*)::int AS count FROM agent_approvals a JOIN agent_runs r ON r.number = a.run ${whereAll(conditions)}`,
      ),
      values: valuesOf(conditions),
    })
    return row?.count ?? 0
  }

  async #change(id: string, change: (tx: PostgresQueries) => Promise<boolean>): Promise<boolean> {
    const { databases, onCommitted } = this.#deps
    const changed = await databases.writes.transaction(change)
    if (changed) onCommitted([id])
    return changed
  }

  async #changeJobs(tx: PostgresQueries, { add = [], drop = [] }: JobChange): Promise<void> {
    if (drop.length > 0) await this.#deps.jobs.drop(tx, drop)
    if (add.length > 0) await this.#deps.jobs.add(tx, add)
  }
}

/** Rolls the transaction back. */
class NotPending extends Error {}
