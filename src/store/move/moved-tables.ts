import { createHash } from 'node:crypto'
import { DAY_MS } from '../activity-store.ts'
import { escapeNul } from '../postgres/escape-nul.ts'
import { IDS_PER_DAY } from '../postgres/logs/log-writer.ts'
import { MAX_ID_CHARACTERS } from '../sql/dialect.ts'
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
  /** Where its rows come from. Default: the table with its name. */
  readonly source?: {
    readonly select?: string
    readonly from?: string
    /** An integer, in whose order rows are read. Default: the row id. */
    readonly key?: string
    /** Bytes of a row. Default: of all columns of the table. */
    readonly size?: string
  }
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

/** The index of a chunk in its trace takes this many bits of its number in SQLite. */
const CHUNKS_IN_TRACE = 1_048_576

/** Rows of the past, which belong to no machine that is alive. */
const ofNoMachine = () => ({ owner_epoch: 0 })
const startedOn = ({ started_at = 0 }: MovedRow) => Math.floor(Number(started_at) / DAY_MS)

/**
 * Executions, agent runs and what belongs to them, in the order in which they refer to each other. The parts of answers
 * are not moved: a run that is continued begins with the first one again.
 */
export const HISTORY_TABLES: readonly MovedTable[] = [
  {
    name: 'executions',
    source: {
      select:
        '*, (SELECT coalesce(max(seq), 0) FROM journal WHERE execution = executions.number) AS last_sequence',
    },
  },
  { name: 'payloads' },
  { name: 'journal' },
  { name: 'milestones', source: { key: 'number' } },
  { name: 'events' },
  { name: 'event_takes' },
  { name: 'waits' },
  { name: 'execution_usage' },
  { name: 'conversations' },
  { name: 'messages', source: { key: 'conversation' } },
  { name: 'agent_runs' },
  { name: 'agent_approvals' },
  { name: 'working_memory' },
  { name: 'hours', set: ofNoMachine },
  { name: 'step_days', set: ofNoMachine },
  { name: 'model_hours', set: ofNoMachine },
  { name: 'step_models' },
  { name: 'queue' },
  { name: 'queue_starts' },
  { name: 'budget_hours' },
  // their jobs are moved with the others
  { name: 'schedules' },
  { name: 'eval_runs', set: ofNoMachine },
  { name: 'eval_cases' },
]

/** Logs and traces, in the order in which they refer to each other. */
export const TELEMETRY_TABLES: readonly MovedTable[] = [
  {
    name: 'logs',
    set: ({ trace_id, span_id, execution_id, workflow_id, agent_id }) => ({
      ...mapped({ trace_id, span_id, execution_id, workflow_id, agent_id }, (id) =>
        id.length > MAX_ID_CHARACTERS ? null : id,
      ),
      ...ofNoMachine(),
    }),
    days: {
      table: 'logs',
      days: 'log_days',
      keysPerDay: IDS_PER_DAY,
      dayOf: ({ id }) => Math.floor(Number(id) / IDS_PER_DAY),
      counts: { records: () => 1 },
    },
  },
  { name: 'trace_titles', set: (row) => ({ id: titleId(row), entity_id: traceId(row['entity_id']) }) },
  {
    name: 'traces',
    source: {
      from: `(SELECT t.*, n.name, n.entity_type, n.entity_id, n.entity_name
        FROM traces t JOIN trace_titles n ON n.id = t.title)`,
      key: 'number',
      size: '300',
    },
    set: (row) => ({
      trace_id: traceId(row['trace_id']),
      title: titleId(row),
      has_entity: row['entity_type'] !== '',
      execution_id: traceId(row['execution_id']),
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
  { name: 'trace_subjects', source: { key: 'trace' }, set: ({ id }) => ({ id: traceId(id) }) },
  {
    name: 'span_chunks',
    source: {
      // in the target, chunks have numbers of their own
      select: 'trace, started_at, added, first_at, last_at, spans',
      from: `(SELECT c.number, t.number AS trace, t.started_at, c.added, c.first_at, c.last_at, c.spans
        FROM span_chunks c JOIN traces t ON t.number = c.number / ${CHUNKS_IN_TRACE})`,
      key: 'number',
      size: 'octet_length(spans)',
    },
    set: (row) => ({ day: startedOn(row), ...ofNoMachine() }),
  },
]

/** As in the writer of traces: a hash of the other columns, as they are stored. */
function titleId({ name = null, entity_type = '', entity_id, entity_name = null }: SourceRow): string {
  const title = [stored(name), entity_type, stored(traceId(entity_id)), stored(entity_name)]
  return createHash('sha256').update(JSON.stringify(title)).digest('hex').slice(0, 32)
}

const stored = (text: SqlValue) => (typeof text === 'string' ? escapeNul(text) : text)

function traceId(id: SqlValue = null): SqlValue {
  return typeof id === 'string' ? id.slice(0, MAX_ID_CHARACTERS) : id
}

function mapped(values: Record<string, SqlValue | undefined>, change: (text: string) => SqlValue) {
  return Object.fromEntries(
    Object.entries(values).map(([name, value = null]) => [
      name,
      typeof value === 'string' ? change(value) : value,
    ]),
  )
}
