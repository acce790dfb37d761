import { AGENT_RUN_COLUMNS } from '../rows/agent-run-columns.ts'
import { EXECUTION_COLUMNS } from '../rows/execution-columns.ts'
import { HOUR_COLUMNS } from '../rows/hour-columns.ts'
import { USAGE_COLUMNS } from '../rows/usage-columns.ts'
import { escapeNul } from '../postgres/escape-nul.ts'
import { PLAIN_COLUMNS } from '../postgres/executions/execution-rows.ts'
import type { SqlValue } from '../sqlite/driver.ts'
import { columnsOf, jsonText } from './moved-part.ts'
import { QUEUE_PARTS } from './queue-parts.ts'
import type { MovedColumn, MovedPart } from './moved-part.ts'

const BIGINTS: ReadonlySet<string> = new Set([
  'owner_epoch',
  'created_at',
  'updated_at',
  'started_at',
  'ended_at',
  'expires_at',
  'crashes',
])
const PLAIN: ReadonlySet<string> = new Set(PLAIN_COLUMNS)
const PLAIN_OF_RUNS: ReadonlySet<string> = new Set([
  'id',
  'agentId',
  'userId',
  'conversationId',
  'error',
  'model',
  'parentId',
  'requestKey',
  'blockedReason',
])

const EXECUTIONS: MovedPart = {
  name: 'executions',
  columns: [
    ...columnsOf('bigint', 'number'),
    ...EXECUTION_COLUMNS.map(([name]) => columnOf(name)),
    ...columnsOf('text', 'origin_id'),
    ...columnsOf('int', 'last_sequence'),
  ],
  source: {
    select:
      '*, (SELECT coalesce(max(seq), 0) FROM journal WHERE execution = executions.number) AS last_sequence',
    from: 'executions',
    key: 'number',
    size: 'coalesce(length(output), 0) + coalesce(length(error), 0) + coalesce(length(suspension), 0) + 500',
  },
  convert: (row) => [
    row['number'] ?? 0,
    ...EXECUTION_COLUMNS.map(([name, key]) => stored(row[name], PLAIN.has(key))),
    originOf(row['forked_from']),
    row['last_sequence'] ?? 0,
  ],
}

const PAYLOADS: MovedPart = {
  name: 'payloads',
  columns: [...columnsOf('bigint', 'execution'), ...columnsOf('text', 'input', 'context', '"user"')],
  source: {
    select: '*',
    from: 'payloads',
    key: 'execution',
    size: 'length(input) + length(context) + coalesce(length(user), 0)',
  },
  convert: ({ execution = 0, input, context, user }) => [
    execution,
    jsonText(input),
    jsonText(context),
    jsonText(user),
  ],
}

const JOURNAL: MovedPart = {
  name: 'journal',
  columns: [
    ...columnsOf('bigint', 'execution'),
    ...columnsOf('int', 'seq'),
    ...columnsOf('text', 'steps', 'events'),
  ],
  source: { select: '*', from: 'journal', key: 'number', size: 'length(steps) + length(events)' },
  convert: ({ execution = 0, seq = 0, steps, events }) => [execution, seq, jsonText(steps), jsonText(events)],
}

const MILESTONES: MovedPart = {
  name: 'milestones',
  columns: [...columnsOf('bigint', 'number', 'execution'), ...columnsOf('int', 'seq')],
  source: {
    select: '*',
    from: '(SELECT milestone, execution, seq FROM journal WHERE milestone IS NOT NULL)',
    key: 'milestone',
    size: '50',
  },
  convert: ({ milestone = 0, execution = 0, seq = 0 }) => [milestone, execution, seq],
}

const EXECUTION_USAGE: MovedPart = {
  name: 'execution_usage',
  columns: columnsOf('bigint', 'execution', ...USAGE_COLUMNS.map(([name]) => name)),
  source: { select: '*', from: 'execution_usage', key: 'execution', size: '50' },
  convert: (row) => [row['execution'] ?? 0, ...USAGE_COLUMNS.map(([name]) => row[name] ?? null)],
}

const AGENT_RUNS: MovedPart = {
  name: 'agent_runs',
  columns: [
    ...columnsOf('bigint', 'number'),
    ...AGENT_RUN_COLUMNS.map(([name]) => columnOf(name)),
    ...columnsOf('text', 'continuation'),
  ],
  source: {
    select: '*',
    from: 'agent_runs',
    key: 'number',
    size: 'length(input) + coalesce(length(output), 0) + coalesce(length(steps), 0) + coalesce(length(continuation), 0)',
  },
  convert: (row) => [
    row['number'] ?? 0,
    ...AGENT_RUN_COLUMNS.map(([name, key]) => stored(row[name], PLAIN_OF_RUNS.has(key))),
    jsonText(row['continuation']),
  ],
}

const AGENT_CALLS: MovedPart = {
  name: 'agent_calls',
  columns: [...columnsOf('bigint', 'run'), ...columnsOf('text', 'key', 'value')],
  source: { select: '*', from: 'agent_calls', key: 'number', size: 'length(value)' },
  convert: ({ run = 0, key, value }) => [run, stored(key, true), jsonText(value)],
}

/** The parts of answers are not moved: a run that is continued begins with the first one again. */
const AGENT_APPROVALS: MovedPart = {
  name: 'agent_approvals',
  columns: [
    ...columnsOf('bigint', 'number'),
    ...columnsOf('text', 'id'),
    ...columnsOf('bigint', 'run'),
    ...columnsOf('text', 'kind', 'tool_call_id', 'tool_name', 'input'),
    ...columnsOf('bigint', 'created_at', 'decided_at'),
    ...columnsOf('text', 'decision'),
  ],
  source: { select: '*', from: 'agent_approvals', key: 'number', size: 'length(input)' },
  convert: (row) => [
    row['number'] ?? 0,
    stored(row['id'], true),
    row['run'] ?? 0,
    stored(row['kind'], true),
    stored(row['tool_call_id'], true),
    stored(row['tool_name'], true),
    jsonText(row['input']),
    row['created_at'] ?? 0,
    row['decided_at'] ?? null,
    jsonText(row['decision']),
  ],
}

const CONVERSATIONS: MovedPart = {
  name: 'conversations',
  columns: [
    ...columnsOf('bigint', 'number'),
    ...columnsOf('text', 'user_key', 'id'),
    ...columnsOf('bigint', 'updated_at'),
    ...columnsOf('text', 'owner'),
    ...columnsOf('bigint', 'last_message', 'forgotten'),
  ],
  source: {
    select: `*, (SELECT coalesce(max(seq), 0) FROM messages WHERE conversation = conversations.number) AS last_message,
      (SELECT coalesce(min(seq) - 1, 0) FROM messages WHERE conversation = conversations.number) AS forgotten`,
    from: 'conversations',
    key: 'number',
    size: '200',
  },
  convert: ({ number = 0, user, id, updated_at = 0, owner, last_message = 0, forgotten = 0 }) => [
    number,
    jsonText(user),
    stored(id, true),
    updated_at,
    jsonText(owner),
    last_message,
    forgotten,
  ],
}

const MESSAGES: MovedPart = {
  name: 'messages',
  columns: [...columnsOf('bigint', 'conversation', 'seq'), ...columnsOf('text', 'message')],
  source: { select: '*', from: 'messages', key: 'conversation', size: 'length(message)' },
  convert: ({ conversation = 0, seq = 0, message }) => [conversation, seq, jsonText(message)],
}

const HOURS: MovedPart = {
  name: 'hours',
  columns: [
    ...columnsOf('int', 'hour'),
    ...columnsOf('bigint', 'owner_epoch', ...HOUR_COLUMNS.map(([name]) => name)),
  ],
  source: { select: '*', from: 'hours', key: 'hour', size: '50' },
  // counts of the past, which belong to no machine
  convert: (row) => [row['hour'] ?? 0, 0, ...HOUR_COLUMNS.map(([name]) => row[name] ?? null)],
}

const EVENTS: MovedPart = {
  name: 'events',
  columns: [
    ...columnsOf('bigint', 'number'),
    ...columnsOf('text', 'id', 'name', 'key', 'data'),
    ...columnsOf('bigint', 'at'),
    ...columnsOf('text', 'sender'),
  ],
  source: { select: '*', from: 'events', key: 'number', size: 'length(data) + 100' },
  convert: ({ number = 0, id, name, key, data, at = 0, sender }) => [
    number,
    stored(id, true),
    stored(name, true),
    stored(key, true),
    jsonText(data),
    at,
    jsonText(sender),
  ],
}

const WAITS: MovedPart = {
  name: 'waits',
  columns: [...columnsOf('text', 'execution_id', 'path', 'name', 'key'), ...columnsOf('bigint', 'since')],
  source: { select: '*', from: 'waits', key: 'number', size: '100' },
  convert: ({ execution_id, path, name, key, since = 0 }) => [
    stored(execution_id, true),
    stored(path, true),
    stored(name, true),
    stored(key, true),
    since,
  ],
}

/** Executions, events, agent runs and conversations, in the order in which they refer to each other. */
export const HISTORY_PARTS: readonly MovedPart[] = [
  EXECUTIONS,
  PAYLOADS,
  JOURNAL,
  MILESTONES,
  EVENTS,
  WAITS,
  EXECUTION_USAGE,
  AGENT_RUNS,
  AGENT_CALLS,
  AGENT_APPROVALS,
  CONVERSATIONS,
  MESSAGES,
  HOURS,
  ...QUEUE_PARTS,
]

function columnOf(name: string): MovedColumn {
  return { name, type: BIGINTS.has(name) ? 'bigint' : 'text' }
}

function stored(value: SqlValue | undefined, isPlain: boolean): SqlValue {
  return isPlain && typeof value === 'string' ? escapeNul(value) : jsonText(value)
}

/** The id in `forked_from`; null if there is none, or the record is damaged. */
function originOf(forkedFrom: SqlValue | undefined): string | null {
  try {
    const { executionId } = JSON.parse(String(forkedFrom ?? '{}')) as { executionId?: unknown }
    return typeof executionId === 'string' ? escapeNul(executionId) : null
  } catch {
    // not JSON
    return null
  }
}
