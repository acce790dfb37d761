import { DAY_MS } from '../../lib/clock.ts'
import { escapeNul } from '../postgres/escape-nul.ts'
import { IDS_PER_DAY } from '../postgres/logs/log-writer.ts'
import { storableId, titleId } from '../postgres/traces/trace-writer.ts'
import { CHUNKS_PER_TRACE } from '../rows/traces/span-chunks.ts'
import { MAX_ID_CHARACTERS, POSTGRES } from '../sql/dialect.ts'
import type { SqlValue } from '../sqlite/driver.ts'

export type MovedValue = SqlValue | boolean
/** A row of the file. */
type SourceRow = Readonly<Record<string, SqlValue>>
/** A row of the file with what the target needs in another form. */
export type MovedRow = Readonly<Record<string, MovedValue>>

/** A table of the target. Its columns that a row of the file has, or `set` adds, are copied. */
export interface MovedTable {
  /** Also for the progress. */
  readonly name: string
  /** What is read. Default: all columns of the table with its name. */
  readonly select?: string
  readonly from?: string
  /** An integer, in whose order rows are read. Default: the row id. */
  readonly key?: string
  /** Columns that the file does not have, or has in another form. */
  readonly set?: (row: SourceRow) => Readonly<Record<string, MovedValue>>
  readonly days?: MovedDays
}

/** Records that are stored by days, in partitions, with a row of counts for each day. */
export interface MovedDays {
  /** The partitioned table. */
  readonly table: string
  /** The table of the counts, by `day`. */
  readonly days: string
  readonly keysPerDay: number
  readonly dayOf: (row: MovedRow) => number
  /** What a row adds to the counts of its day. */
  readonly counts: Readonly<Record<string, (row: MovedRow) => number>>
}

const named = (...names: readonly string[]): readonly MovedTable[] => names.map((name) => ({ name }))
/** Rows of the past, which belong to no machine that is alive. */
const ofNoMachine = (...names: readonly string[]): readonly MovedTable[] =>
  names.map((name) => ({ name, set: () => ({ owner_epoch: 0 }) }))
const startedOn = ({ started_at = 0 }: MovedRow) => Math.floor(Number(started_at) / DAY_MS)

/**
 * Executions, agent runs and what belongs to them, in the order in which they refer to each other. The parts of answers
 * are not moved: a run that is continued begins with the first one again. The jobs of schedules are moved with the others.
 */
export const HISTORY_TABLES: readonly MovedTable[] = [
  {
    name: 'executions',
    select:
      '*, (SELECT coalesce(max(seq), 0) FROM journal WHERE execution = executions.number) AS last_sequence',
  },
  ...named('payloads', 'journal'),
  { name: 'milestones', key: 'number' },
  ...named('events', 'event_takes', 'waits', 'execution_usage', 'conversations'),
  { name: 'messages', key: 'conversation' },
  ...named('agent_runs', 'agent_approvals', 'working_memory'),
  ...ofNoMachine('hours', 'step_days', 'model_hours'),
  ...named('step_models', 'queue', 'queue_starts', 'budget_hours', 'schedules'),
  ...ofNoMachine('eval_runs'),
  ...named('eval_cases'),
]

/** Logs and traces, in the order in which they refer to each other. */
export const TELEMETRY_TABLES: readonly MovedTable[] = [
  {
    name: 'logs',
    set: (row) => ({
      owner_epoch: 0,
      ...Object.fromEntries(
        ['trace_id', 'span_id', 'execution_id', 'workflow_id', 'agent_id'].map((column) => [
          column,
          String(row[column]).length > MAX_ID_CHARACTERS ? null : (row[column] ?? null),
        ]),
      ),
    }),
    days: {
      table: 'logs',
      days: 'log_days',
      keysPerDay: IDS_PER_DAY,
      dayOf: ({ id }) => Math.floor(Number(id) / IDS_PER_DAY),
      counts: { records: () => 1 },
    },
  },
  { name: 'trace_titles', set: (row) => ({ id: idOfTitle(row), entity_id: storedId(row['entity_id']) }) },
  {
    name: 'traces',
    from: `(SELECT t.*, n.name, n.entity_type, n.entity_id, n.entity_name
      FROM traces t JOIN trace_titles n ON n.id = t.title)`,
    key: 'number',
    set: (row) => ({
      title: idOfTitle(row),
      has_entity: row['entity_type'] !== '',
      execution_id: storedId(row['execution_id']),
      // its process has ended
      status: row['status'] === 'running' ? 'error' : (row['status'] ?? null),
      day: startedOn(row),
    }),
    days: {
      table: 'span_chunks',
      days: 'trace_days',
      keysPerDay: 1,
      dayOf: startedOn,
      counts: { traces: () => 1, spans: ({ span_count }) => Number(span_count) },
    },
  },
  { name: 'trace_subjects', key: 'trace', set: ({ id }) => ({ id: storedId(id) }) },
  {
    name: 'span_chunks',
    // in the target, chunks have numbers of their own
    select: 'trace, started_at, added, first_at, last_at, spans',
    from: `(SELECT c.*, t.number AS trace, t.started_at
      FROM span_chunks c JOIN traces t ON t.number = c.number / ${CHUNKS_PER_TRACE})`,
    key: 'number',
    set: (row) => ({ day: startedOn(row), owner_epoch: 0 }),
  },
]

function idOfTitle({ name, entity_type, entity_id, entity_name }: SourceRow): string {
  const text = (value: SqlValue = '') => escapeNul(String(value))
  return titleId([text(name), String(entity_type), storableId(String(entity_id)), text(entity_name)])
}

function storedId(id: SqlValue = null): SqlValue {
  return typeof id === 'string' ? POSTGRES.storedId(id) : id
}
