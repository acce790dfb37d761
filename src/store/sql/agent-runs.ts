import type { Usage } from '../../contract/agent-event.ts'
import { fromNanoDollars } from '../../contract/usage/cost.ts'
import { HOUR_MS } from '../../lib/clock.ts'
import type { AgentRunEnd, AgentRunFilter, AgentRunRow, AgentRunStore } from '../agent-store.ts'
import type {
  ApprovalDecision,
  ApprovalFilter,
  ApprovalRow,
  DecideOptions,
  DecisionResult,
} from '../agents/agent-approvals.ts'
import type { StoredParts } from '../agents/agent-journal.ts'
import type { Page } from '../page.ts'
import {
  AGENT_RUN_COLUMNS,
  AGENT_RUN_CONDITIONS,
  IS_ORPHAN,
  KEPT_REQUEST,
} from '../rows/agent-run-columns.ts'
import { conditionsOf, given, valuesOf, whereAll } from './conditions.ts'
import type { Condition } from './conditions.ts'
import type { Dialect } from './dialect.ts'
import { pruneOldestOf } from './prune-oldest.ts'
import { tx } from './sql.ts'
import type { Sql, SqlParams } from './sql.ts'

/** Columns of `execution_usage`, with the names of the row's properties. */
const USAGE_COLUMNS = [
  ['input_tokens', 'inputTokens'],
  ['output_tokens', 'outputTokens'],
  ['total_tokens', 'totalTokens'],
  ['cached_input_tokens', 'cachedInputTokens'],
  ['reasoning_tokens', 'reasoningTokens'],
  ['cost_nano', 'costNano'],
] as const

interface UsageRow extends Omit<Usage, 'costUsd'> {
  /** Id of the execution. */
  readonly id: string
  readonly costNano: number | null
}

/** Columns of an approval `a` and its run `r`, with the names of the row's properties. */
const APPROVAL_COLUMNS = [
  ['a.id', 'id'],
  ['a.kind', 'kind'],
  ['a.tool_call_id', 'toolCallId'],
  ['a.tool_name', 'toolName'],
  ['a.input', 'input'],
  ['a.created_at', 'createdAt'],
  ['a.decided_at', 'decidedAt'],
  ['a.decision', 'decision'],
  ['r.id', 'runId'],
  ['r.agent_id', 'agentId'],
  ['r.user_id', 'userId'],
  ['r.conversation_id', 'conversationId'],
  ['r.trace_id', 'traceId'],
  ['r.expires_at', 'expiresAt'],
] as const satisfies readonly (readonly [column: string, key: keyof ApprovalRow])[]

/** The condition of each member of a filter, but for the ids of runs. */
const APPROVAL_CONDITIONS = {
  id: 'a.id = ?',
  runId: 'r.id = ?',
  agentId: 'r.agent_id = ?',
  userId: 'r.user_id = ?',
  conversationId: 'r.conversation_id = ?',
  isPending: 'a.decided_at IS NULL',
  isForPeople: "a.kind <> 'client-tool' AND r.requester IS NULL AND r.status = 'suspended'",
} as const satisfies Record<Exclude<keyof ApprovalFilter, 'runIds'>, string>

const named = (columns: readonly (readonly [column: string, key: string])[], table = '') =>
  columns.map(([column, key]) => `${table}${column} AS "${key}"`).join(', ')

const RUNS = `SELECT ${named(AGENT_RUN_COLUMNS)} FROM agent_runs`
const APPROVALS = 'FROM agent_approvals a JOIN agent_runs r ON r.number = a.run'

const ABORT = `UPDATE agent_runs SET status = 'aborted', ended_at = ?, continuation = ${KEPT_REQUEST}, expires_at = NULL
  WHERE id = ? AND ended_at IS NULL AND requester IS NULL`
const EXPIRE = `UPDATE agent_runs SET status = 'error', ended_at = ?, error = ?, continuation = ${KEPT_REQUEST},
  expires_at = NULL WHERE id = ? AND status = 'suspended' AND expires_at <= ?`
const OWNERS = `SELECT DISTINCT owner_epoch AS "ownerEpoch" FROM agent_runs WHERE ended_at IS NULL AND status = 'running'`

const CONTINUATION = 'SELECT continuation FROM agent_runs WHERE id = ?'
const CLAIM = `UPDATE agent_runs SET owner_epoch = ?
  WHERE id = ? AND owner_epoch = ? AND status = 'running' AND continuation IS NOT NULL`
const PARTS = `SELECT p.seq, p.data FROM agent_runs r JOIN agent_parts p ON p.run = r.number
  WHERE r.id = ? AND p.seq > ? ORDER BY p.seq LIMIT ?`
const FORGET_PARTS = 'DELETE FROM agent_parts WHERE run = (SELECT number FROM agent_runs WHERE id = ?)'

const DECIDE = `UPDATE agent_approvals SET decided_at = ?, decision = ? WHERE id = ? AND run = ? AND decided_at IS NULL`
const RESUME = `UPDATE agent_runs SET status = 'running', owner_epoch = ?, expires_at = NULL WHERE number = ?
  AND NOT EXISTS (SELECT 1 FROM agent_approvals a WHERE a.run = agent_runs.number AND a.decided_at IS NULL)`

const textsOf = ({ isServer, among, forUpdate, skipLocked }: Dialect) => ({
  usage: `SELECT e.id, ${named(USAGE_COLUMNS, 'u.')} FROM executions e
    JOIN execution_usage u ON u.execution = e.number WHERE ${among('e.id')}`,
  endOrphaned: `UPDATE agent_runs SET status = ?, ended_at = ?, error = ?, continuation = ${KEPT_REQUEST}
    WHERE ended_at IS NULL AND status = 'running' AND ${among('owner_epoch')} AND ${IS_ORPHAN}`,
  count: isServer
    ? `INSERT INTO hours (hour, owner_epoch, answers) VALUES (?, ?, 1)
      ON CONFLICT (hour, owner_epoch) DO UPDATE SET answers = hours.answers + 1`
    : 'INSERT INTO hours (hour, answers) VALUES (?, 1) ON CONFLICT (hour) DO UPDATE SET answers = answers + 1',
  suspended: `SELECT number FROM agent_runs WHERE id = ? AND status = 'suspended' AND expires_at > ? ${forUpdate}`,
  endedWithParts: `SELECT number FROM agent_runs WHERE number IN (SELECT run FROM agent_parts) AND ended_at < ?
    LIMIT ? ${skipLocked}`,
  deleteParts: `DELETE FROM agent_parts WHERE ${among('run')}`,
})

export interface AgentRunOwner {
  readonly ownerEpoch: number
  /** The owner epochs of the processes that are alive. */
  readonly aliveEpochs: () => Promise<readonly number[]>
  /** Called after each commit with the ids of the runs that it has changed. */
  readonly onCommitted: (ids: readonly string[]) => void
}

/** Agent runs with their parts and approvals, but for what is written while an agent answers. */
export abstract class SqlAgentRuns implements Omit<
  AgentRunStore,
  'insert' | 'finish' | 'suspend' | 'appendParts'
> {
  readonly prune: AgentRunStore['prune']
  protected readonly sql: Sql
  protected readonly owner: AgentRunOwner
  readonly #texts: ReturnType<typeof textsOf>

  constructor(sql: Sql, owner: AgentRunOwner) {
    this.sql = sql
    this.owner = owner
    this.#texts = textsOf(sql.dialect)
    this.prune = pruneOldestOf(sql, {
      table: 'agent_runs',
      age: 'ended_at',
      condition: 'ended_at IS NOT NULL',
    })
  }

  list(filter: AgentRunFilter, { limit, offset }: Page): Promise<AgentRunRow[]> {
    const conditions = conditionsOf(AGENT_RUN_CONDITIONS, filter)
    const text = `${RUNS} ${whereAll(conditions)} ORDER BY started_at DESC, number DESC LIMIT ? OFFSET ?`
    return this.sql.filtered(text, [...valuesOf(conditions), limit, offset])
  }

  count(filter: AgentRunFilter): Promise<number> {
    return this.#total('FROM agent_runs', conditionsOf(AGENT_RUN_CONDITIONS, filter))
  }

  async usageOf(executionIds: readonly string[]): Promise<Map<string, Usage>> {
    const rows = await this.sql.all<UsageRow>(this.#texts.usage, [executionIds])
    return new Map(rows.map((row) => [row.id, usageOfRow(row)]))
  }

  abort(id: string, endedAt: number): Promise<boolean> {
    return this.#end(id, { text: ABORT, values: [endedAt, id] }, endedAt)
  }

  expire(
    id: string,
    { endedAt, error }: { readonly endedAt: number; readonly error: string },
  ): Promise<boolean> {
    return this.#end(id, { text: EXPIRE, values: [endedAt, error, id, endedAt] }, endedAt)
  }

  async endOrphaned({
    status,
    endedAt,
    error,
  }: Pick<AgentRunEnd, 'status' | 'endedAt' | 'error'>): Promise<number> {
    const owners = await this.sql.all<{ ownerEpoch: number }>(OWNERS)
    // read after the owners: one of them that has just started is among them
    const alive = new Set([this.owner.ownerEpoch, ...(await this.owner.aliveEpochs())])
    const dead = owners.map(({ ownerEpoch }) => ownerEpoch).filter((epoch) => !alive.has(epoch))
    let ended = 0
    if (dead.length === 0) return ended
    // the end of a run makes orphans of those that it has requested
    for (;;) {
      const count = await this.sql.run(this.#texts.endOrphaned, [status, endedAt, error, dead])
      if (count === 0) return ended
      ended += count
    }
  }

  async continuation(id: string): Promise<string | null> {
    const row = await this.sql.first<{ continuation: string | null }>(CONTINUATION, [id])
    return row?.continuation ?? null
  }

  claim(id: string, from: number): Promise<boolean> {
    const { ownerEpoch } = this.owner
    return this.change(id, function* () {
      if ((yield* tx.run(CLAIM, [ownerEpoch, id, from])) === 0) return false
      yield* tx.run(FORGET_PARTS, [id])
      return true
    })
  }

  parts(
    id: string,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<StoredParts[]> {
    return this.sql.all(PARTS, [id, after, limit])
  }

  pruneParts(endedBefore: number, limit: number): Promise<number> {
    const { endedWithParts, deleteParts } = this.#texts
    return this.sql.transaction(function* () {
      const runs = yield* tx.all<{ number: number }>(endedWithParts, [endedBefore, limit])
      if (runs.length > 0) yield* tx.run(deleteParts, [runs.map(({ number }) => number)])
      return runs.length
    })
  }

  async decide(
    id: string,
    decisions: readonly ApprovalDecision[],
    options: DecideOptions,
  ): Promise<DecisionResult> {
    const { decidedAt, jobs = {} } = options
    const { suspended } = this.#texts
    const { ownerEpoch } = this.owner
    let result: DecisionResult = 'refused'
    try {
      await this.change(id, function* () {
        // locked: two that decide the last ones at the same time must see each other
        const [run] = yield* tx.all<{ number: number }>(suspended, [id, decidedAt])
        if (!run) return false
        for (const { id: approval, decision } of decisions) {
          const decided = yield* tx.run(DECIDE, [decidedAt, decision, approval, run.number])
          if (decided === 0) throw new NotPending()
        }
        const isResumed = (yield* tx.run(RESUME, [ownerEpoch, run.number])) > 0
        if (isResumed) {
          yield* tx.run(FORGET_PARTS, [id])
          yield* tx.jobs(jobs)
        }
        result = isResumed ? 'claimed' : 'waiting'
        return true
      })
      return result
    } catch (error) {
      if (error instanceof NotPending) return 'refused'
      throw error
    }
  }

  approvals(filter: ApprovalFilter, { limit, offset }: Page): Promise<ApprovalRow[]> {
    const conditions = this.#approvalConditions(filter)
    const text = `SELECT ${named(APPROVAL_COLUMNS)} ${APPROVALS} ${whereAll(conditions)} ORDER BY a.number LIMIT ? OFFSET ?`
    return this.sql.filtered(text, [...valuesOf(conditions), limit, offset])
  }

  countApprovals(filter: ApprovalFilter): Promise<number> {
    return this.#total(APPROVALS, this.#approvalConditions(filter))
  }

  #approvalConditions({ runIds, ...filter }: ApprovalFilter): Condition[] {
    return [
      ...conditionsOf(APPROVAL_CONDITIONS, filter),
      ...given(runIds, (ids) => ({
        text: this.sql.dialect.among('r.id'),
        values: [JSON.parse(ids) as string[]],
      })),
    ]
  }

  async #total(from: string, conditions: readonly Condition[]): Promise<number> {
    const text = `SELECT count(*) AS total ${from} ${whereAll(conditions)}`
    const [row] = await this.sql.filtered<{ total: number }>(text, valuesOf(conditions))
    return row?.total ?? 0
  }

  /** Ends a run that counts as an answer without usage. */
  #end(id: string, { text, values }: Condition, endedAt: number): Promise<boolean> {
    const { count } = this.#texts
    const hour = Math.floor(endedAt / HOUR_MS)
    const counted: SqlParams = this.sql.dialect.isServer ? [hour, this.owner.ownerEpoch] : [hour]
    return this.change(id, function* () {
      if ((yield* tx.run(text, values)) === 0) return false
      yield* tx.run(count, counted)
      return true
    })
  }

  /** Runs a transaction that returns whether it has changed the run. */
  protected async change(
    id: string,
    work: Parameters<typeof this.sql.transaction<boolean>>[0],
  ): Promise<boolean> {
    const isChanged = await this.sql.transaction(work)
    if (isChanged) this.owner.onCommitted([id])
    return isChanged
  }
}

/** Rolls the transaction back. */
class NotPending extends Error {}

function usageOfRow({ id: _, costNano, ...tokens }: UsageRow): Usage {
  return { ...tokens, costUsd: costNano === null ? null : fromNanoDollars(costNano) }
}
