import { EXECUTION_COLUMNS } from '../rows/executions/execution-columns.ts'
import { HOUR_COLUMNS } from '../rows/hour-columns.ts'
import { USAGE_COLUMNS } from '../rows/usage-columns.ts'
import { escapeNul } from '../postgres/escape-nul.ts'
import { PLAIN_COLUMNS } from '../postgres/executions/execution-rows.ts'
import type { SqlValue } from '../sqlite/driver.ts'
import { AGENT_PARTS } from './agent-parts.ts'
import { columnOf, columnsOf, jsonText, storedText } from './moved-part.ts'
import { BUDGET_HOURS } from './budget-parts.ts'
import { EVAL_PARTS } from './eval-parts.ts'
import { QUEUE_PARTS } from './queue-parts.ts'
import { SCHEDULES } from './schedule-parts.ts'
import { STATISTICS_PARTS } from './statistics-parts.ts'
import type { MovedPart } from './moved-part.ts'

const PLAIN: ReadonlySet<string> = new Set(PLAIN_COLUMNS)
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
    ...EXECUTION_COLUMNS.map(([name, key]) => storedText(row[name], PLAIN.has(key))),
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
    ...columnsOf('text', 'sender', 'misfits'),
  ],
  source: { select: '*', from: 'events', key: 'number', size: 'length(data) + 100' },
  convert: ({ number = 0, id, name, key, data, at = 0, sender, misfits }) => [
    number,
    storedText(id, true),
    storedText(name, true),
    storedText(key, true),
    jsonText(data),
    at,
    jsonText(sender),
    jsonText(misfits),
  ],
}

const EVENT_TAKES: MovedPart = {
  name: 'event_takes',
  columns: columnsOf('text', 'event_id', 'execution_id'),
  source: { select: '*', from: 'event_takes', key: 'number', size: '100' },
  convert: ({ event_id, execution_id }) => [storedText(event_id, true), storedText(execution_id, true)],
}

const WAITS: MovedPart = {
  name: 'waits',
  columns: [...columnsOf('text', 'execution_id', 'path', 'name', 'key'), ...columnsOf('bigint', 'since')],
  source: { select: '*', from: 'waits', key: 'number', size: '100' },
  convert: ({ execution_id, path, name, key, since = 0 }) => [
    storedText(execution_id, true),
    storedText(path, true),
    storedText(name, true),
    storedText(key, true),
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
  EVENT_TAKES,
  WAITS,
  EXECUTION_USAGE,
  ...AGENT_PARTS,
  HOURS,
  ...STATISTICS_PARTS,
  ...QUEUE_PARTS,
  BUDGET_HOURS,
  SCHEDULES,
  ...EVAL_PARTS,
]

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
