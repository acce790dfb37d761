import { AGENT_RUN_COLUMNS } from '../rows/agent-run-columns.ts'
import { columnOf, columnsOf, jsonText, storedText } from './moved-part.ts'
import type { MovedPart } from './moved-part.ts'

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

const AGENT_RUNS: MovedPart = {
  name: 'agent_runs',
  columns: [
    ...columnsOf('bigint', 'number'),
    ...AGENT_RUN_COLUMNS.map(([name]) => columnOf(name)),
    ...columnsOf('text', 'continuation'),
    ...columnsOf('bigint', 'conversation'),
    ...columnsOf('text', 'exchange'),
  ],
  source: {
    select: '*',
    from: 'agent_runs',
    key: 'number',
    size: 'length(input) + coalesce(length(output), 0) + coalesce(length(steps), 0) + coalesce(length(continuation), 0) + coalesce(length(exchange), 0)',
  },
  convert: (row) => [
    row['number'] ?? 0,
    ...AGENT_RUN_COLUMNS.map(([name, key]) => storedText(row[name], PLAIN_OF_RUNS.has(key))),
    jsonText(row['continuation']),
    row['conversation'] ?? null,
    jsonText(row['exchange']),
  ],
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
    storedText(row['id'], true),
    row['run'] ?? 0,
    storedText(row['kind'], true),
    storedText(row['tool_call_id'], true),
    storedText(row['tool_name'], true),
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
    ...columnsOf('bigint', 'last_message', 'forgotten', 'created_at'),
    ...columnsOf('text', 'title', 'summary'),
    ...columnsOf('bigint', 'summarised'),
    ...columnsOf('text', 'agents'),
  ],
  source: {
    select: '*',
    from: 'conversations',
    key: 'number',
    size: '200',
  },
  convert: (row) => [
    row['number'] ?? 0,
    jsonText(row['user_key']),
    storedText(row['id'], true),
    row['updated_at'] ?? 0,
    jsonText(row['owner']),
    row['last_message'] ?? 0,
    row['forgotten'] ?? 0,
    row['created_at'] ?? 0,
    storedText(row['title'], true),
    jsonText(row['summary']),
    row['summarised'] ?? 0,
    jsonText(row['agents']),
  ],
}

const MESSAGES: MovedPart = {
  name: 'messages',
  columns: [
    ...columnsOf('bigint', 'conversation', 'seq'),
    ...columnsOf('text', 'message'),
    ...columnsOf('boolean', 'starts'),
  ],
  source: { select: '*', from: 'messages', key: 'conversation', size: 'length(message)' },
  convert: ({ conversation = 0, seq = 0, message, starts }) => [
    conversation,
    seq,
    jsonText(message),
    starts === 1,
  ],
}

const WORKING_MEMORY: MovedPart = {
  name: 'working_memory',
  columns: [
    ...columnsOf('bigint', 'number'),
    ...columnsOf('text', 'agent_id', 'user_key', 'value', 'owner'),
    ...columnsOf('bigint', 'revision', 'used_at'),
  ],
  source: { select: '*', from: 'working_memory', key: 'number', size: 'length(value) + 200' },
  convert: ({ number = 0, agent_id = '', user_key, value, owner, revision = 0, used_at = 0 }) => [
    number,
    agent_id,
    jsonText(user_key),
    jsonText(value),
    jsonText(owner),
    revision,
    used_at,
  ],
}

/** Agent runs, conversations and working memory, in the order in which they refer to each other. */
export const AGENT_PARTS: readonly MovedPart[] = [
  CONVERSATIONS,
  MESSAGES,
  AGENT_RUNS,
  AGENT_APPROVALS,
  WORKING_MEMORY,
]
