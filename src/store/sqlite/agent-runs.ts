import type { AgentRunEnd, AgentRunFilter, AgentRunRow } from '../agent-store.ts'
import type { Exchange } from '../agents/conversation-store.ts'
import type { Page } from '../page.ts'
import type { Retention } from '../retention.ts'
import {
  AGENT_RUN_COLUMNS,
  AGENT_RUN_CONDITIONS,
  IS_ORPHAN,
  KEPT_REQUEST,
} from '../rows/agent-run-columns.ts'
import { countedUsage } from '../rows/counted-usage.ts'
import { exchangeText } from '../rows/open-exchange.ts'
import { USAGE_COLUMNS, usageOfRow } from '../rows/usage-columns.ts'
import type { UsageRow } from '../rows/usage-columns.ts'
import type { Usage } from '../../contract/agent-event.ts'
import type { Conversations } from './conversations.ts'
import { conditionsOf } from './where-clause.ts'
import { HourTally } from './executions/hour-tally.ts'
import { CallCounter } from './usage/call-counter.ts'
import type { Database, Statement } from './driver.ts'
import { inTransaction } from './transaction.ts'
import { StatementCache } from './statement-cache.ts'

interface Ending {
  readonly end: AgentRunEnd
  readonly ownerEpoch: number
  readonly exchange: Exchange | undefined
}

/** Agent runs in SQLite. */
export class AgentRuns {
  readonly #database: Database
  readonly #conversations: Conversations
  readonly #insert: Statement
  readonly #finish: Statement
  readonly #abort: Statement
  readonly #endOrphaned: Statement
  readonly #expireSuspended: Statement
  readonly #expire: Statement
  readonly #ended: Statement
  readonly #deleteOldest: Statement
  readonly #usage: Statement
  readonly #filtered: StatementCache
  readonly #tally: HourTally
  readonly #calls: CallCounter

  constructor(database: Database, conversations: Conversations) {
    const prepare = (sql: string) => database.prepare(sql)
    const names = [...AGENT_RUN_COLUMNS.map(([column]) => column), 'continuation', 'conversation', 'exchange']
    this.#database = database
    this.#filtered = new StatementCache(database)
    this.#tally = new HourTally(database)
    this.#calls = new CallCounter(database)
    this.#conversations = conversations
    this.#insert = prepare(
      `INSERT INTO agent_runs (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    )
    this.#finish = prepare(
      `UPDATE agent_runs SET status = ?, ended_at = ?, output = ?, error = ?, usage = ?, steps = ?,
         model = coalesce(?, model), blocked_reason = ?, continuation = ${KEPT_REQUEST}
       WHERE id = ? AND ended_at IS NULL AND owner_epoch = ? RETURNING requester`,
    )
    this.#abort = prepare(
      `UPDATE agent_runs SET status = 'aborted', ended_at = ?, continuation = ${KEPT_REQUEST}, expires_at = NULL
       WHERE id = ? AND ended_at IS NULL AND requester IS NULL`,
    )
    this.#endOrphaned = prepare(
      `UPDATE agent_runs SET status = ?, ended_at = ?, error = ?, continuation = ${KEPT_REQUEST}
       WHERE ended_at IS NULL AND status = 'running' AND owner_epoch < ?
         AND ${IS_ORPHAN}`,
    )
    this.#expireSuspended = prepare(
      `UPDATE agent_runs SET status = 'error', ended_at = ?1, error = ?2, continuation = ${KEPT_REQUEST}, expires_at = NULL
       WHERE id = ?3 AND status = 'suspended' AND expires_at <= ?1`,
    )
    const used = USAGE_COLUMNS.map(([column, key]) => `u.${column} AS ${key}`).join(', ')
    this.#usage = prepare(
      `SELECT e.id, ${used} FROM json_each(?) AS wanted JOIN executions e ON e.id = wanted.value
       JOIN execution_usage u ON u.execution = e.number`,
    )
    const oldest = 'SELECT number FROM agent_runs WHERE ended_at IS NOT NULL'
    this.#expire = prepare(
      `DELETE FROM agent_runs WHERE number IN (${oldest} AND ended_at < ? ORDER BY ended_at LIMIT ?)`,
    )
    this.#ended = prepare('SELECT count(*) AS total FROM agent_runs WHERE ended_at IS NOT NULL')
    this.#deleteOldest = prepare(
      `DELETE FROM agent_runs WHERE number IN (${oldest} ORDER BY ended_at LIMIT ?)`,
    )
  }

  /** Must be called in a transaction. */
  insert(row: AgentRunRow, continuation?: string, exchange?: Exchange): void {
    const values = [...AGENT_RUN_COLUMNS.map(([, key]) => row[key]), continuation ?? null]
    const begun = exchange ? [this.#conversations.start(exchange), exchangeText(exchange)] : [null, null]
    this.#insert.run(...values, ...begun)
  }

  /** Must be called in a transaction. */
  finish(id: string, { end, ownerEpoch, exchange }: Ending): boolean {
    const { status, endedAt, output, error, usage, steps, model = null, blockedReason = null } = end
    const ending = [status, endedAt, output, error, usage, steps, model, blockedReason]
    const [done] = this.#finish.all(...ending, id, ownerEpoch)
    if (done === undefined) return false
    if (exchange) this.#conversations.add(exchange, endedAt)
    // the usage of a sub-agent is in that of the run that called it
    const isCounted = (done as Pick<AgentRunRow, 'requester'>).requester !== 'agent'
    this.#count({ endedAt, usage: isCounted ? usage : null })
    this.#calls.add(end.calls ?? [], endedAt)
    return true
  }

  abort(id: string, endedAt: number): boolean {
    return inTransaction(this.#database, () => {
      if (Number(this.#abort.run(endedAt, id).changes) === 0) return false
      this.#count({ endedAt, usage: null })
      return true
    })
  }

  expire(id: string, { endedAt, error }: Pick<AgentRunEnd, 'endedAt'> & { readonly error: string }): boolean {
    return inTransaction(this.#database, () => {
      if (Number(this.#expireSuspended.run(endedAt, error, id).changes) === 0) return false
      this.#count({ endedAt, usage: null })
      return true
    })
  }

  #count({ endedAt, usage }: Pick<AgentRunEnd, 'endedAt' | 'usage'>): void {
    const { inputTokens, outputTokens, costNano } = countedUsage(usage)
    this.#tally.count(endedAt, 'answers')
    this.#tally.count(endedAt, 'inputTokens', inputTokens)
    this.#tally.count(endedAt, 'outputTokens', outputTokens)
    this.#tally.count(endedAt, 'costNano', costNano)
    this.#tally.store()
  }

  list(filter: AgentRunFilter, page: Page): AgentRunRow[] {
    const { where, values } = conditionsOf(AGENT_RUN_CONDITIONS, filter)
    const names = AGENT_RUN_COLUMNS.map(([column, key]) => `${column} AS ${key}`).join(', ')
    const sql = `SELECT ${names} FROM agent_runs ${where} ORDER BY started_at DESC, number DESC LIMIT ? OFFSET ?`
    return this.#filtered.get(sql).all(...values, page.limit, page.offset) as AgentRunRow[]
  }

  count(filter: AgentRunFilter): number {
    const { where, values } = conditionsOf(AGENT_RUN_CONDITIONS, filter)
    const [row] = this.#filtered.get(`SELECT count(*) AS total FROM agent_runs ${where}`).all(...values)
    return (row as { total: number }).total
  }

  usageOf(executionIds: readonly string[]): Map<string, Usage> {
    const rows = this.#usage.all(JSON.stringify(executionIds)) as UsageRow[]
    return new Map(rows.map((row) => [row.id, usageOfRow(row)]))
  }

  endOrphaned(ownerEpoch: number, end: Pick<AgentRunEnd, 'status' | 'endedAt' | 'error'>): number {
    let ended = 0
    // the end of a run makes orphans of those that it has requested
    for (;;) {
      const { changes } = this.#endOrphaned.run(end.status, end.endedAt, end.error, ownerEpoch)
      if (Number(changes) === 0) return ended
      ended += Number(changes)
    }
  }

  prune({ endedBefore, keep }: Retention, limit: number): number {
    const expired = Number(this.#expire.run(endedBefore, limit).changes)
    if (expired > 0) return expired
    const surplus = (this.#ended.get() as { total: number }).total - keep
    return surplus > 0 ? Number(this.#deleteOldest.run(Math.min(surplus, limit)).changes) : 0
  }
}
