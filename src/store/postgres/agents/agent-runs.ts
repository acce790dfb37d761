import { HOUR_MS } from '../../activity-store.ts'
import type { Usage } from '../../../contract/agent-event.ts'
import type { AgentRunEnd, AgentRunFilter, AgentRunRecords, AgentRunRow } from '../../agent-store.ts'
import { MAX_MESSAGES } from '../../agents/conversation-store.ts'
import type { Exchange } from '../../agents/conversation-store.ts'
import type { Page } from '../../page.ts'
import type { Retention } from '../../retention.ts'
import { countedUsage } from '../../rows/counted-usage.ts'
import { exchangeText } from '../../rows/open-exchange.ts'
import { USAGE_COLUMNS, usageOfRow } from '../../rows/usage-columns.ts'
import type { UsageRow } from '../../rows/usage-columns.ts'
import {
  AGENT_RUN_COLUMNS,
  AGENT_RUN_CONDITIONS,
  IS_ORPHAN,
  KEPT_REQUEST,
} from '../../rows/agent-run-columns.ts'
import type { Databases } from '../connection/database.ts'
import { RepeatedWrites } from '../connection/repeated-writes.ts'
import { escapeNul, unescapeNul } from '../escape-nul.ts'
import { pruneOldest } from '../prune-oldest.ts'
import { numberParameters } from '../parameters.ts'
import { valuesOf, whereAll } from '../../sql/conditions.ts'
import { filterConditions } from './filter-conditions.ts'
import { callsJson, countCalls } from '../usage/count-calls.ts'
import { keyValues } from './conversations.ts'

const NAMES = [...AGENT_RUN_COLUMNS.map(([column]) => column), 'continuation']

const INSERT = `INSERT INTO agent_runs (${NAMES.join(', ')})
  VALUES (${NAMES.map((_, index) => `$${index + 1}`).join(', ')}) ON CONFLICT (id) DO NOTHING`

/** The conversation is begun, or has the agent, before the run refers to it. */
const INSERT_IN_CONVERSATION = (() => {
  const count = NAMES.length
  const [userKey, id, owner, agent, title, at, exchange] = [1, 2, 3, 4, 5, 6, 7].map((n) => `$${count + n}`)
  return `WITH conversation AS (
    INSERT INTO conversations AS old (user_key, id, updated_at, owner, last_message, agents, title, created_at)
    VALUES (${userKey}, ${id}, ${at}, ${owner}, 0, ARRAY[${agent}::text], ${title}, ${at})
    ON CONFLICT (user_key, id) DO UPDATE SET
      owner = coalesce(old.owner, excluded.owner),
      title = coalesce(old.title, excluded.title),
      agents = CASE WHEN ${agent}::text = ANY (old.agents) THEN old.agents ELSE old.agents || ${agent}::text END
    RETURNING number
  )
  INSERT INTO agent_runs (${NAMES.join(', ')}, conversation, exchange)
  VALUES (${NAMES.map((_, index) => `$${index + 1}`).join(', ')}, (SELECT number FROM conversation), ${exchange})
  ON CONFLICT (id) DO NOTHING`
})()

const SELECTED = AGENT_RUN_COLUMNS.map(([column, key]) => `${column} AS "${key}"`).join(', ')

const OWN_USAGE = ['$11', '$12', '$13'].map(
  (value) => `CASE WHEN requester IS DISTINCT FROM 'agent' THEN ${value}::bigint ELSE 0 END`,
)

/** Ends a run. */
const END = `UPDATE agent_runs SET status = $3, ended_at = $4, output = $5, error = $6, usage = $7, steps = $8,
    model = coalesce($9, model), blocked_reason = $10, continuation = ${KEPT_REQUEST}
  WHERE id = $1 AND ended_at IS NULL AND owner_epoch = $2 RETURNING ended_at, requester`
/** The usage of a sub-agent is in that of the run that called it. */
const COUNT = `INSERT INTO hours (owner_epoch, hour, answers, input_tokens, output_tokens, cost_nano)
  SELECT $2::bigint, ended_at / ${HOUR_MS}, 1, ${OWN_USAGE.join(', ')} FROM run
  ON CONFLICT (owner_epoch, hour) DO UPDATE SET
    answers = hours.answers + 1,
    input_tokens = hours.input_tokens + excluded.input_tokens,
    output_tokens = hours.output_tokens + excluded.output_tokens,
    cost_nano = hours.cost_nano + excluded.cost_nano`
/**
 * The row of the conversation is locked, and has the numbers of the messages: those that another machine has just
 * added are not visible in this statement.
 */
const EXTEND = `INSERT INTO conversations AS old (user_key, id, updated_at, owner, last_message, agents, title, created_at)
  SELECT $14::text, $15::text, ended_at, $16::text, cardinality($17::text[]), ARRAY[$20::text], $21::text, $22::bigint
  FROM run
  ON CONFLICT (user_key, id) DO UPDATE SET
    updated_at = greatest(old.updated_at, excluded.updated_at),
    owner = coalesce(old.owner, excluded.owner),
    title = coalesce(old.title, excluded.title),
    agents = CASE WHEN $20 = ANY (old.agents) THEN old.agents ELSE old.agents || $20 END,
    last_message = old.last_message + excluded.last_message,
    forgotten = CASE WHEN $18::boolean THEN old.last_message
      ELSE greatest(old.forgotten, old.last_message + excluded.last_message - ${MAX_MESSAGES}) END,
    summary = CASE WHEN $18 AND old.summary IS DISTINCT FROM $23::text THEN NULL ELSE old.summary END,
    summarised = CASE WHEN NOT $18 THEN old.summarised
      WHEN old.summary = $23 THEN old.last_message + $24::bigint ELSE 0 END
  RETURNING number, last_message, forgotten`
const ADD_MESSAGES = `INSERT INTO messages (conversation, seq, message, starts)
  SELECT conversation.number, conversation.last_message - cardinality($17::text[]) + new.place, new.message, new.starts
  FROM conversation, unnest($17::text[], $19::boolean[]) WITH ORDINALITY AS new(message, starts, place)`
const FORGET = `DELETE FROM messages USING conversation
  WHERE messages.conversation = conversation.number AND messages.seq <= conversation.forgotten`

const callsIn = (calls: string) => countCalls({ calls, at: '$4', ownerEpoch: '$2' })

const FINISH = `WITH run AS (${END}), counted AS (${COUNT}), ${callsIn('$14')} SELECT 1 FROM run`
const FINISH_WITH_MESSAGES = `WITH run AS (${END}), counted AS (${COUNT}), conversation AS (${EXTEND}),
  ${callsIn('$25')},
  added AS (${ADD_MESSAGES}), forgotten AS (${FORGET}) SELECT 1 FROM run`

/** Whether a run ended as it was told in an attempt whose answer was lost. */
const HAS_ENDED = `SELECT 1 FROM agent_runs WHERE id = $1 AND owner_epoch = $2 AND status = $3 AND ended_at = $4`

const ABORT = `WITH run AS (UPDATE agent_runs SET status = 'aborted', ended_at = $2, continuation = ${KEPT_REQUEST}, expires_at = NULL
    WHERE id = $1 AND ended_at IS NULL AND requester IS NULL RETURNING ended_at),
  counted AS (INSERT INTO hours (owner_epoch, hour, answers) SELECT $3::bigint, ended_at / ${HOUR_MS}, 1 FROM run
    ON CONFLICT (owner_epoch, hour) DO UPDATE SET answers = hours.answers + 1)
  SELECT 1 FROM run`

const USED = USAGE_COLUMNS.map(([column, key]) => `u.${column} AS "${key}"`).join(', ')
const USAGE = `SELECT e.id, ${USED} FROM executions e JOIN execution_usage u ON u.execution = e.number
  WHERE e.id = ANY ($1::text[])`

const ENDED = { table: 'agent_runs', age: 'ended_at', condition: 'ended_at IS NOT NULL' } as const

export interface PostgresAgentRunDeps {
  readonly databases: Pick<Databases, 'writes' | 'reads'>
  readonly ownerEpoch: number
  /** The owner epochs of the processes that are alive. */
  readonly aliveEpochs: () => Promise<readonly number[]>
  /** Called after each commit with the ids of the runs that it has ended. */
  readonly onCommitted: (ids: readonly string[]) => void
  /** Aborts when the store closes: writes wait no more. */
  readonly closing: AbortSignal
}

/** Agent runs in Postgres. */
export class PostgresAgentRuns implements AgentRunRecords {
  readonly #deps: PostgresAgentRunDeps
  readonly #writes: RepeatedWrites

  constructor(deps: PostgresAgentRunDeps) {
    this.#deps = deps
    this.#writes = new RepeatedWrites(deps.closing)
  }

  async insert(row: AgentRunRow, continuation?: string, exchange?: Exchange): Promise<void> {
    const values = [...AGENT_RUN_COLUMNS.map(([, key]) => storable(row[key])), continuation ?? null]
    const query = inserting(values, exchange)
    await this.#writes.run(() => this.#deps.databases.writes.change(query))
  }

  async finish(id: string, end: AgentRunEnd, exchange?: Exchange): Promise<boolean> {
    const { writes } = this.#deps.databases
    const values = [id, this.#deps.ownerEpoch, ...endValues(end)]
    const query = finishing(values, { calls: callsJson(end.calls), exchange })
    const rows = await this.#writes.run(async (attempt) => {
      const ended = await writes.rows(query)
      if (ended.length > 0 || attempt === 1) return ended
      return writes.rows({ text: HAS_ENDED, values: query.values.slice(0, 4) })
    })
    return this.#ended(id, rows)
  }

  async abort(id: string, endedAt: number): Promise<boolean> {
    const values = [escapeNul(id), endedAt, this.#deps.ownerEpoch]
    const rows = await this.#deps.databases.writes.rows({ name: 'abort-agent-run', text: ABORT, values })
    return this.#ended(id, rows)
  }

  #ended(id: string, rows: readonly unknown[]): boolean {
    if (rows.length === 0) return false
    this.#deps.onCommitted([id])
    return true
  }

  async list(filter: AgentRunFilter, page: Page): Promise<AgentRunRow[]> {
    const conditions = filterConditions(AGENT_RUN_CONDITIONS, filter)
    const rows = await this.#deps.databases.reads.rows<AgentRunRow>({
      text: numberParameters(
        `SELECT ${SELECTED} FROM agent_runs ${whereAll(conditions)}
         ORDER BY started_at DESC, number DESC LIMIT ? OFFSET ?`,
      ),
      values: [...valuesOf(conditions), page.limit, page.offset],
    })
    return rows.map((row) => restored(row))
  }

  async count(filter: AgentRunFilter): Promise<number> {
    const conditions = filterConditions(AGENT_RUN_CONDITIONS, filter)
    const [row] = await this.#deps.databases.reads.rows<{ total: number }>({
      text: numberParameters(`SELECT count(*) AS total FROM agent_runs ${whereAll(conditions)}`),
      values: valuesOf(conditions),
    })
    return row?.total ?? 0
  }

  async usageOf(executionIds: readonly string[]): Promise<Map<string, Usage>> {
    const rows = await this.#deps.databases.reads.rows<UsageRow>({
      name: 'usage-of-executions',
      text: USAGE,
      values: [executionIds.map((id) => escapeNul(id))],
    })
    return new Map(rows.map((row) => [unescapeNul(row.id), usageOfRow(row)]))
  }

  async endOrphaned(end: Pick<AgentRunEnd, 'status' | 'endedAt' | 'error'>): Promise<number> {
    const { databases, aliveEpochs } = this.#deps
    const owners = await databases.writes.rows<{ ownerEpoch: number }>({
      text: `SELECT DISTINCT owner_epoch AS "ownerEpoch" FROM agent_runs WHERE ended_at IS NULL AND status = 'running'`,
    })
    // read after the owners: one of them that has just started is among them
    const alive = new Set([this.#deps.ownerEpoch, ...(await aliveEpochs())])
    const dead = owners.map(({ ownerEpoch }) => ownerEpoch).filter((epoch) => !alive.has(epoch))
    if (dead.length === 0) return 0
    let ended = 0
    // the end of a run makes orphans of those that it has requested
    for (;;) {
      const count = await databases.writes.change({
        text: `UPDATE agent_runs SET status = $1, ended_at = $2, error = $3, continuation = ${KEPT_REQUEST}
          WHERE ended_at IS NULL AND status = 'running' AND owner_epoch = ANY ($4::bigint[])
            AND ${IS_ORPHAN}`,
        values: [end.status, end.endedAt, escapeNul(end.error), dead],
      })
      if (count === 0) return ended
      ended += count
    }
  }

  prune(retention: Retention, limit: number): Promise<number> {
    return pruneOldest(this.#deps.databases.writes, ENDED, { ...retention, limit })
  }
}

function inserting(values: readonly unknown[], exchange: Exchange | undefined) {
  if (!exchange) return { name: 'insert-agent-run', text: INSERT, values }
  const { key, owner, agentId, title, startedAt } = exchange
  const begun = [...keyValues(key), owner, agentId, escapeNul(title), startedAt, exchangeText(exchange)]
  return {
    name: 'insert-agent-run-in-conversation',
    text: INSERT_IN_CONVERSATION,
    values: [...values, ...begun],
  }
}

function finishing(
  values: readonly unknown[],
  { calls, exchange }: { readonly calls: string; readonly exchange: Exchange | undefined },
) {
  if (!exchange) return { name: 'finish-agent-run', text: FINISH, values: [...values, calls] }
  const { key, owner, messages, starts, replace, agentId, title, startedAt, keptSummary } = exchange
  const kept = [escapeNul(keptSummary?.summary ?? null), keptSummary?.count ?? 0]
  const added = [[...messages], replace, [...starts], agentId, escapeNul(title), startedAt]
  return {
    name: 'finish-agent-run-with-messages',
    text: FINISH_WITH_MESSAGES,
    values: [...values, ...keyValues(key), owner, ...added, ...kept, calls],
  }
}

function endValues(end: AgentRunEnd): unknown[] {
  const { status, endedAt, output, error, usage, steps, model = null, blockedReason = null } = end
  const { inputTokens, outputTokens, costNano } = countedUsage(usage)
  const texts = [escapeNul(model), escapeNul(blockedReason)]
  return [
    status,
    endedAt,
    output,
    escapeNul(error),
    usage,
    steps,
    ...texts,
    inputTokens,
    outputTokens,
    costNano,
  ]
}

function storable(value: AgentRunRow[keyof AgentRunRow]): unknown {
  return typeof value === 'string' ? escapeNul(value) : value
}

function restored(row: AgentRunRow): AgentRunRow {
  return {
    ...row,
    userId: unescapeNul(row.userId),
    conversationId: unescapeNul(row.conversationId),
    error: unescapeNul(row.error),
    blockedReason: unescapeNul(row.blockedReason),
    model: unescapeNul(row.model),
    parentId: unescapeNul(row.parentId),
    requestKey: unescapeNul(row.requestKey),
  }
}
