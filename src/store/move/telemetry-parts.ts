import { DAY_MS } from '../activity-store.ts'
import { createHash } from 'node:crypto'
import { LOG_COLUMNS } from '../rows/log-columns.ts'
import { IDS_PER_DAY } from '../postgres/logs/log-writer.ts'
import { escapeNul } from '../postgres/escape-nul.ts'
import { storableId } from '../postgres/storable-id.ts'
import { MAX_ID_CHARACTERS } from '../sql/dialect.ts'
import type { SqlValue } from '../sqlite/driver.ts'
import { columnsOf, jsonText } from './moved-part.ts'
import type { MovedPart } from './moved-part.ts'

/** The index of a chunk in its trace takes this many bits of its number in SQLite. */
const CHUNKS_IN_TRACE = 1_048_576

const ID_COLUMNS: ReadonlySet<string> = new Set([
  'trace_id',
  'span_id',
  'execution_id',
  'workflow_id',
  'agent_id',
])
const NUMBERS: ReadonlySet<string> = new Set(['id', 'timestamp', 'level'])

const LOGS: MovedPart = {
  name: 'logs',
  columns: [
    ...LOG_COLUMNS.map(([name]) => ({
      name,
      type: NUMBERS.has(name) ? ('bigint' as const) : ('text' as const),
    })),
    // of no machine that is alive
    ...columnsOf('bigint', 'owner_epoch'),
  ],
  source: { select: '*', from: 'logs', key: 'id', size: 'length(message) + length(attributes) + 100' },
  convert: (row) => [...LOG_COLUMNS.map(([name]) => logValue(name, row[name])), 0],
  days: {
    table: 'logs',
    days: 'log_days',
    keysPerDay: IDS_PER_DAY,
    dayOf: ([id]) => Math.floor(Number(id) / IDS_PER_DAY),
    counts: { records: () => 1 },
  },
}

const TITLES: MovedPart = {
  name: 'trace_titles',
  columns: [
    ...columnsOf('uuid', 'id'),
    ...columnsOf('text', 'name', 'entity_type', 'entity_id', 'entity_name'),
  ],
  source: { select: '*', from: 'trace_titles', key: 'id', size: '200' },
  convert: (row) => [titleId(row), ...titleOf(row)],
}

const TRACES: MovedPart = {
  name: 'traces',
  columns: [
    ...columnsOf('bigint', 'number'),
    ...columnsOf('text', 'trace_id'),
    ...columnsOf('uuid', 'title'),
    ...columnsOf('boolean', 'has_entity'),
    ...columnsOf('text', 'execution_id', 'kind', 'status'),
    ...columnsOf('bigint', 'started_at'),
    ...columnsOf('float8', 'ended_at'),
    ...columnsOf('int', 'day'),
    ...columnsOf('bigint', 'span_count', 'input_tokens', 'output_tokens', 'cost_nano'),
    { name: 'open_on', type: 'text', castTo: 'bigint[]' },
  ],
  source: {
    select: '*',
    from: `(SELECT t.*, n.name, n.entity_type, n.entity_id, n.entity_name
      FROM traces t JOIN trace_titles n ON n.id = t.title)`,
    key: 'number',
    size: '300',
  },
  convert: (row) => [
    row['number'] ?? 0,
    movedId(row['trace_id']),
    titleId(row),
    row['entity_type'] !== '',
    movedId(row['execution_id']),
    row['kind'] ?? '',
    // its process has ended
    row['status'] === 'running' ? 'error' : (row['status'] ?? null),
    row['started_at'] ?? 0,
    row['ended_at'] ?? 0,
    dayOf(row['started_at']),
    row['span_count'] ?? 0,
    row['input_tokens'] ?? null,
    row['output_tokens'] ?? null,
    row['cost_nano'] ?? null,
    '{}',
  ],
  days: {
    table: 'span_chunks',
    days: 'trace_days',
    keysPerDay: 1,
    dayOf: (values) => Number(values[9]),
    counts: { traces: () => 1, spans: (values) => Number(values[10]) },
  },
}

const SUBJECTS: MovedPart = {
  name: 'trace_subjects',
  columns: [
    ...columnsOf('bigint', 'trace'),
    ...columnsOf('smallint', 'subject'),
    ...columnsOf('text', 'id'),
    ...columnsOf('bigint', 'started_at'),
  ],
  source: { select: '*', from: 'trace_subjects', key: 'trace', size: '100' },
  convert: ({ trace = 0, subject = 0, id, started_at = 0 }) => [trace, subject, movedId(id), started_at],
}

const CHUNKS: MovedPart = {
  name: 'span_chunks',
  columns: [
    ...columnsOf('bigint', 'trace'),
    ...columnsOf('int', 'day'),
    ...columnsOf('bigint', 'owner_epoch'),
    ...columnsOf('int', 'added'),
    ...columnsOf('bigint', 'first_at', 'last_at'),
    ...columnsOf('text', 'spans'),
  ],
  source: {
    select: '*',
    from: `(SELECT c.number, t.number AS trace, t.started_at, c.added, c.first_at, c.last_at, c.spans
      FROM span_chunks c JOIN traces t ON t.number = c.number / ${CHUNKS_IN_TRACE})`,
    key: 'number',
    size: 'length(spans)',
  },
  convert: ({ trace = 0, started_at = 0, added = 0, first_at = 0, last_at = 0, spans }) => [
    trace,
    dayOf(started_at),
    0,
    added,
    first_at,
    last_at,
    jsonText(spans),
  ],
}

/** Logs and traces, in the order in which they refer to each other. */
export const TELEMETRY_PARTS: readonly MovedPart[] = [LOGS, TITLES, TRACES, SUBJECTS, CHUNKS]

function logValue(name: string, value: SqlValue = null): SqlValue {
  if (NUMBERS.has(name)) return Math.trunc(Number(value))
  if (ID_COLUMNS.has(name)) return String(value ?? '').length > MAX_ID_CHARACTERS ? null : escaped(value)
  return name === 'message' ? escaped(value) : jsonText(value)
}

/** As in the writer of traces: a hash of the other columns. */
function titleId(row: Readonly<Record<string, SqlValue>>): string {
  return createHash('sha256')
    .update(JSON.stringify(titleOf(row)))
    .digest('hex')
    .slice(0, 32)
}

function titleOf({
  name,
  entity_type,
  entity_id,
  entity_name,
}: Readonly<Record<string, SqlValue>>): SqlValue[] {
  return [escaped(name), entity_type ?? '', movedId(entity_id), escaped(entity_name)]
}

function movedId(id: SqlValue = null): SqlValue {
  return typeof id === 'string' ? storableId(id) : id
}

function escaped(text: SqlValue = null): SqlValue {
  return typeof text === 'string' ? escapeNul(text) : text
}

function dayOf(at: SqlValue = 0): number {
  return Math.floor(Number(at) / DAY_MS)
}
