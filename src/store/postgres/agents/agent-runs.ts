import { HOUR_MS } from '../../../lib/clock.ts'
import type { AgentRunEnd, AgentRunRow, AgentRunStore } from '../../agent-store.ts'
import type { RunSuspension } from '../../agents/agent-approvals.ts'
import type { AnswerParts } from '../../agents/agent-journal.ts'
import { MAX_MESSAGES } from '../../agents/conversation-store.ts'
import type { ConversationKey, RunningMessages } from '../../agents/conversation-store.ts'
import type { JobChange } from '../../dispatcher.ts'
import { AGENT_RUN_COLUMNS, KEPT_REQUEST } from '../../rows/agent-run-columns.ts'
import { countedUsage } from '../../rows/counted-usage.ts'
import { runningMessagesText } from '../../rows/running-messages.ts'
import { SqlAgentRuns } from '../../sql/agent-runs.ts'
import type { AgentRunOwner } from '../../sql/agent-runs.ts'
import { keyValues } from '../../sql/conversations.ts'
import { tx } from '../../sql/sql.ts'
import type { Sql } from '../../sql/sql.ts'
import type { PostgresDatabases } from '../connection/postgres-databases.ts'
import { RepeatedWrites } from '../connection/repeated-writes.ts'
import { escapeNul } from '../escape-nul.ts'
import { storableJson } from '../executions/execution-batch.ts'
import { additions, CALL_COLUMNS, PLACE_COLUMNS } from '../../rows/call-columns.ts'
import type { ModelCalls } from '../../usage-store.ts'

const SUMS = CALL_COLUMNS.map(([column]) => column)
const PLACES = PLACE_COLUMNS.map(([column]) => column)
const RECORD = [
  ...['execution_id', ...PLACES].map((column) => `${column} text`),
  ...SUMS.map((column) => `${column} bigint`),
].join(', ')

/**
 * Parts of a query with the row `run`: add model calls, from `callsJson`, to the sums of their hour and their execution.
 * `calls`, `at` and `ownerEpoch` are parameters.
 */
function countCalls({ calls, at, ownerEpoch }: Record<'calls' | 'at' | 'ownerEpoch', string>): string {
  const given = `run, jsonb_to_recordset(${calls}::jsonb) AS c(${RECORD})`
  const sums = SUMS.map((column) => `c.${column}`).join(', ')
  return `calls_of_hour AS (
    INSERT INTO model_hours AS h (hour, owner_epoch, ${PLACES.join(', ')}, ${SUMS.join(', ')})
    SELECT ${at}::bigint / ${HOUR_MS}, ${ownerEpoch}::bigint, ${PLACES.map((column) => `c.${column}`).join(', ')}, ${sums}
    FROM ${given} ORDER BY c.model
    ON CONFLICT (hour, ${PLACES.join(', ')}, owner_epoch) DO UPDATE SET ${additions(SUMS, 'h')}),
  calls_of_execution AS (
    INSERT INTO step_models AS s (execution, step, agent_id, model, ${SUMS.join(', ')})
    SELECT e.number, c.step, c.agent_id, c.model, ${sums} FROM ${given} JOIN executions e ON e.id = c.execution_id
    ORDER BY c.model
    ON CONFLICT (execution, step, agent_id, model) DO UPDATE SET ${additions(SUMS, 's')})`
}

const NAMES = [...AGENT_RUN_COLUMNS.map(([column]) => column), 'continuation']

const INSERT = `INSERT INTO agent_runs (${NAMES.join(', ')})
  VALUES (${NAMES.map((_, index) => `$${index + 1}`).join(', ')}) ON CONFLICT (id) DO NOTHING`

/** The conversation is begun, or has the agent, before the run refers to it. */
const INSERT_IN_CONVERSATION = (() => {
  const count = NAMES.length
  const [userKey, id, owner, agent, title, at, runningMessages] = [1, 2, 3, 4, 5, 6, 7].map(
    (n) => `$${count + n}`,
  )
  return `WITH conversation AS (
    INSERT INTO conversations AS old (user_key, id, updated_at, owner, last_message, agents, title, created_at)
    VALUES (${userKey}, ${id}, ${at}, ${owner}, 0, json_build_array(${agent}::text)::text, ${title}, ${at})
    ON CONFLICT (user_key, id) DO UPDATE SET
      owner = coalesce(old.owner, excluded.owner),
      title = coalesce(old.title, excluded.title),
      agents = CASE WHEN old.agents::jsonb @> to_jsonb(${agent}::text) THEN old.agents ELSE (old.agents::jsonb || to_jsonb(${agent}::text))::text END
    RETURNING number
  )
  INSERT INTO agent_runs (${NAMES.join(', ')}, conversation, running_messages)
  VALUES (${NAMES.map((_, index) => `$${index + 1}`).join(', ')}, (SELECT number FROM conversation), ${runningMessages})
  ON CONFLICT (id) DO NOTHING`
})()

const OWN_USAGE = ['$11', '$12', '$13'].map(
  (value) => `CASE WHEN requester IS DISTINCT FROM 'agent' THEN ${value}::bigint ELSE 0 END`,
)

const END = `UPDATE agent_runs SET status = $3, ended_at = $4, output = $5, error = $6, usage = $7, steps = $8,
    model = coalesce($9, model), blocked_reason = $10, continuation = ${KEPT_REQUEST}
  WHERE id = $1 AND ended_at IS NULL AND owner_epoch = $2 RETURNING ended_at, requester`
/** The usage of a sub-agent is in that of the run that called it; a trial is no use of the project. */
const COUNT = `INSERT INTO hours (owner_epoch, hour, answers, input_tokens, output_tokens, cost_nano)
  SELECT $2::bigint, ended_at / ${HOUR_MS}, 1, ${OWN_USAGE.join(', ')} FROM run WHERE requester IS DISTINCT FROM 'lab'
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
  SELECT $14::text, $15::text, ended_at, $16::text, cardinality($17::text[]), json_build_array($20::text)::text, $21::text, $22::bigint
  FROM run
  ON CONFLICT (user_key, id) DO UPDATE SET
    updated_at = greatest(old.updated_at, excluded.updated_at),
    owner = coalesce(old.owner, excluded.owner),
    title = coalesce(old.title, excluded.title),
    agents = CASE WHEN old.agents::jsonb @> to_jsonb($20::text) THEN old.agents ELSE (old.agents::jsonb || to_jsonb($20::text))::text END,
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

/** Whether a run ended as requested in an attempt whose answer was lost. */
const HAS_ENDED = `SELECT 1 FROM agent_runs WHERE id = $1 AND owner_epoch = $2 AND status = $3 AND ended_at = $4`

const SUSPEND = `WITH run AS (UPDATE agent_runs SET status = 'suspended', continuation = $3, expires_at = $4, output = $5,
    usage = $6, steps = $7
    WHERE id = $1 AND owner_epoch = $2 AND status = 'running' RETURNING number),
  added AS (INSERT INTO agent_approvals (id, run, kind, tool_call_id, tool_name, input, created_at)
    SELECT given.id, run.number, kind, tool_call_id, tool_name, input, $8::bigint
    FROM run, unnest($9::text[], $10::text[], $11::text[], $12::text[], $13::text[])
      WITH ORDINALITY AS given (id, kind, tool_call_id, tool_name, input, place) ORDER BY place),
  ${countCalls({ calls: '$14', at: '$8', ownerEpoch: '$2' })}
  SELECT 1 FROM run`

/** The runs are locked, so that none is claimed by another machine in the meantime. */
const APPEND = `WITH given AS (
    SELECT id, seq, text FROM unnest($2::text[], $3::bigint[], $4::text[]) AS given (id, seq, text)),
  run AS (SELECT number, id FROM agent_runs
    WHERE id = ANY ($2::text[]) AND owner_epoch = $1 AND status = 'running' FOR NO KEY UPDATE),
  appended AS (INSERT INTO agent_parts (run, seq, data) SELECT number, seq, text FROM given JOIN run USING (id)
    ON CONFLICT (run, seq) DO UPDATE SET data = excluded.data)
  SELECT id FROM run`

export interface PostgresAgentRunDeps extends AgentRunOwner {
  readonly sql: Sql
  readonly writes: PostgresDatabases['writes']
  /** Aborts when the store closes: writes wait no more. */
  readonly closing: AbortSignal
}

/** Agent runs in Postgres. */
export class PostgresAgentRuns extends SqlAgentRuns implements AgentRunStore {
  readonly #database: PostgresAgentRunDeps['writes']
  readonly #writes: RepeatedWrites

  constructor({ sql, writes, closing, ...owner }: PostgresAgentRunDeps) {
    super(sql, owner)
    this.#database = writes
    this.#writes = new RepeatedWrites(closing)
  }

  async insert(row: AgentRunRow, continuation?: string, runningMessages?: RunningMessages): Promise<void> {
    const values = [...AGENT_RUN_COLUMNS.map(([, key]) => storable(row[key])), continuation ?? null]
    const query = inserting(values, runningMessages)
    await this.#writes.run(() => this.#database.change(query))
  }

  async finish(id: string, end: AgentRunEnd, runningMessages?: RunningMessages): Promise<boolean> {
    const values = [id, this.owner.ownerEpoch, ...endValues(end)]
    const query = finishing(values, { calls: callsJson(end.calls), runningMessages })
    const rows = await this.#writes.run(async (attempt) => {
      const ended = await this.#database.rows(query)
      if (ended.length > 0 || attempt === 1) return ended
      return this.#database.rows({ text: HAS_ENDED, values: query.values.slice(0, 4) })
    })
    if (rows.length > 0) this.owner.onCommitted([id])
    return rows.length > 0
  }

  suspend(id: string, suspension: RunSuspension, jobs: JobChange = {}): Promise<boolean> {
    const { continuation, approvals, suspendedAt, expiresAt, output, usage, steps } = suspension
    const given = (['id', 'kind', 'toolCallId', 'toolName', 'input'] as const).map((key) =>
      approvals.map((approval) => approval[key]),
    )
    const run = [id, this.owner.ownerEpoch, continuation, expiresAt, output, usage, steps]
    const values = [...run, suspendedAt, ...given, callsJson(suspension.calls)]
    return this.change(id, function* () {
      const [suspended] = yield* tx.all(SUSPEND, values)
      if (suspended) yield* tx.jobs(jobs)
      return suspended !== undefined
    })
  }

  async appendParts(parts: readonly AnswerParts[]): Promise<boolean[]> {
    const ids = parts.map(({ runId }) => escapeNul(runId))
    const seqs = parts.map(({ seq }) => seq)
    const values = [this.owner.ownerEpoch, ids, seqs, parts.map(({ data }) => data)]
    const query = { name: 'append-agent-parts', text: APPEND, values }
    const owned = await this.#writes.run(() => this.#database.rows<{ id: string }>(query))
    const written = new Set(owned.map(({ id }) => id))
    this.owner.onCommitted([
      ...new Set(parts.flatMap(({ runId }, index) => (written.has(ids[index] ?? '') ? [runId] : []))),
    ])
    return ids.map((id) => written.has(id))
  }
}

function inserting(values: readonly unknown[], runningMessages: RunningMessages | undefined) {
  if (!runningMessages) return { name: 'insert-agent-run', text: INSERT, values }
  const { key, owner, agentId, title, startedAt } = runningMessages
  const begun = [
    ...storableKey(key),
    owner,
    agentId,
    escapeNul(title),
    startedAt,
    runningMessagesText(runningMessages),
  ]
  return {
    name: 'insert-agent-run-in-conversation',
    text: INSERT_IN_CONVERSATION,
    values: [...values, ...begun],
  }
}

function finishing(
  values: readonly unknown[],
  {
    calls,
    runningMessages,
  }: { readonly calls: string; readonly runningMessages: RunningMessages | undefined },
) {
  if (!runningMessages) return { name: 'finish-agent-run', text: FINISH, values: [...values, calls] }
  const { key, owner, messages, starts, replace, agentId, title, startedAt, keptSummary } = runningMessages
  const kept = [escapeNul(keptSummary?.summary ?? null), keptSummary?.count ?? 0]
  const added = [[...messages], replace, [...starts], agentId, escapeNul(title), startedAt]
  return {
    name: 'finish-agent-run-with-messages',
    text: FINISH_WITH_MESSAGES,
    values: [...values, ...storableKey(key), owner, ...added, ...kept, calls],
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

function storableKey(key: ConversationKey): string[] {
  return keyValues(key).map((text) => escapeNul(text))
}

/** The parameter of `countCalls`. */
function callsJson(calls: readonly ModelCalls[] = []): string {
  const rows = calls.map(({ place, agentId, model, ...counts }) => ({
    execution_id: place && escapeNul(place.executionId),
    workflow_id: place?.workflowId ?? '',
    step: place?.step ?? '',
    agent_id: agentId,
    model: escapeNul(model),
    ...Object.fromEntries(CALL_COLUMNS.map(([column, key]) => [column, counts[key]])),
  }))
  return storableJson(JSON.stringify(rows))
}
