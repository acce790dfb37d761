import { DAY_MS } from '../../../lib/clock.ts'
import { createHash } from 'node:crypto'
import type { TraceEntity } from '../../../contract/endpoints/trace.ts'
import { chunksOf } from '../../rows/traces/span-chunks.ts'
import { ENTITY_OF, SUBJECTS } from '../../trace-store.ts'
import type { SpanWrite, TokenCount, TraceChange, TraceSubject } from '../../trace-store.ts'
import type { PostgresDatabase } from '../connection/database.ts'
import { escapeNul } from '../escape-nul.ts'
import { POSTGRES } from '../../sql/dialect.ts'
import type { DayPartitions } from '../telemetry/day-partitions.ts'
import { DEADLOCK, NO_PARTITION, NO_REFERENCE, retried } from '../telemetry/retried.ts'

// A parameter is an array, a column of the rows to write. The first one is the owner epoch of this process.

const TITLE = 'title, name, entity_type, entity_id, entity_name'

const GIVEN = `SELECT * FROM unnest(
    $2::text[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
    $11::bigint[], $12::float8[], $13::integer[], $14::bigint[], $15::bigint[], $16::bigint[], $17::bigint[],
    $18::boolean[]
  ) AS given(trace_id, ${TITLE}, execution_id, kind, status, started_at, ended_at, day, span_count, input_tokens,
    output_tokens, cost_nano, has_entity)`

const TITLES = `INSERT INTO trace_titles (id, name, entity_type, entity_id, entity_name)
  SELECT DISTINCT ${TITLE} FROM given ORDER BY title ON CONFLICT DO NOTHING`

/** The processes in which the trace runs after the change. */
const OPEN_ON = `CASE WHEN excluded.status IS NULL THEN old.open_on
  ELSE array_remove(old.open_on, $1) || excluded.open_on END`

/** A trace runs as long as it runs in a process; then it has failed if it failed in one of them. */
const TRACES = `INSERT INTO traces AS old (trace_id, title, has_entity, execution_id, kind, status, open_on, started_at,
    ended_at, day, span_count, input_tokens, output_tokens, cost_nano)
  SELECT trace_id, title, has_entity, execution_id, kind, status,
    CASE WHEN status = 'running' THEN ARRAY[$1::bigint] ELSE '{}'::bigint[] END,
    started_at, ended_at, day, span_count, input_tokens, output_tokens, cost_nano
  FROM given ORDER BY trace_id
  ON CONFLICT (trace_id) DO UPDATE SET
    title = CASE WHEN NOT old.has_entity AND (excluded.has_entity OR excluded.started_at < old.started_at)
      THEN excluded.title ELSE old.title END,
    has_entity = old.has_entity OR excluded.has_entity,
    kind = CASE WHEN excluded.started_at < old.started_at THEN excluded.kind ELSE old.kind END,
    execution_id = coalesce(old.execution_id, excluded.execution_id),
    open_on = ${OPEN_ON},
    outcome = CASE WHEN excluded.status IS NULL THEN old.outcome
      WHEN old.open_on = '{}' OR ${OPEN_ON} = '{}' THEN NULL
      WHEN excluded.status = 'running' OR old.outcome = 'error' THEN old.outcome
      ELSE excluded.status END,
    status = CASE WHEN excluded.status IS NULL THEN old.status
      WHEN ${OPEN_ON} <> '{}' THEN 'running'
      WHEN old.outcome = 'error' THEN 'error'
      ELSE excluded.status END,
    started_at = least(old.started_at, excluded.started_at),
    ended_at = greatest(old.ended_at, excluded.ended_at),
    span_count = old.span_count + excluded.span_count,
    input_tokens = coalesce(old.input_tokens + excluded.input_tokens, old.input_tokens, excluded.input_tokens),
    output_tokens = coalesce(old.output_tokens + excluded.output_tokens, old.output_tokens, excluded.output_tokens),
    cost_nano = old.cost_nano + excluded.cost_nano
  RETURNING number, trace_id, day, started_at, xmax = 0 AS is_new`

const CHUNKS = `INSERT INTO span_chunks (trace, day, owner_epoch, added, first_at, last_at, spans)
  SELECT trace.number, trace.day, $1, chunk.added, chunk.first_at, chunk.last_at, chunk.spans
  FROM unnest($19::text[], $20::integer[], $21::bigint[], $22::bigint[], $23::text[]) WITH ORDINALITY
    AS chunk(trace_id, added, first_at, last_at, spans, place) JOIN trace USING (trace_id)
  ORDER BY chunk.place`

const INSERT_SUBJECTS = `INSERT INTO trace_subjects
  SELECT trace.number, subject.subject, subject.id, trace.started_at
  FROM unnest($24::text[], $25::smallint[], $26::text[], $27::boolean[]) AS subject(trace_id, subject, id, is_implied)
    JOIN trace USING (trace_id)
  WHERE NOT (subject.is_implied AND trace.is_new)
  ON CONFLICT DO NOTHING`

/** The start of a trace is part of the index of its subjects. */
const MOVED_SUBJECTS = `UPDATE trace_subjects SET started_at = trace.started_at FROM trace
  WHERE trace_subjects.trace = trace.number AND trace_subjects.started_at <> trace.started_at`

const COUNT = `UPDATE trace_days SET traces = trace_days.traces + new.traces, spans = trace_days.spans + new.spans
  FROM (
    SELECT trace.day, count(*) FILTER (WHERE trace.is_new) AS traces, sum(given.span_count)::bigint AS spans
    FROM trace JOIN given USING (trace_id) GROUP BY 1
  ) AS new WHERE trace_days.day = new.day`

/** Writes traces with their titles, spans and subjects. Of each trace there is one row. */
const WRITE = `WITH given AS (${GIVEN}), titles AS (${TITLES}), trace AS (${TRACES}), chunks AS (${CHUNKS}),
  subjects AS (${INSERT_SUBJECTS}), moved AS (${MOVED_SUBJECTS}) ${COUNT}`

/** Writes of traces. */
export class PostgresTraceWriter {
  readonly #database: PostgresDatabase
  readonly #ownerEpoch: number
  readonly #partitions: DayPartitions

  constructor(database: PostgresDatabase, ownerEpoch: number, partitions: DayPartitions) {
    this.#database = database
    this.#ownerEpoch = ownerEpoch
    this.#partitions = partitions
  }

  async write(given: readonly TraceChange[]): Promise<void> {
    if (given.length === 0) return
    const changes = mergeChanges(given)
    const values = [this.#ownerEpoch, ...valuesOf(changes)]
    const causes = {
      [NO_PARTITION]: () => this.#partitions.forget(),
      // another machine has deleted the title, as no trace had it
      [NO_REFERENCE]: () => undefined,
      [DEADLOCK]: () => undefined,
    }
    await retried(causes, async () => {
      await this.#partitions.ensure(changes.map(({ startedAt }) => dayOf(startedAt)))
      await this.#database.rows({ name: 'write-traces', text: WRITE, values })
    })
  }
}

function dayOf(at: number): number {
  return Math.floor(at / DAY_MS)
}

/** The parameters of the statement after the first: columns of traces, chunks and subjects. */
function valuesOf(changes: readonly TraceChange[]): unknown[] {
  const traces = changes.map((change) => traceRow(change))
  const chunks = changes.flatMap(({ traceId, spans }) =>
    chunksOf(spans).map(({ added, firstAt, lastAt, spans: json }) => [traceId, added, firstAt, lastAt, json]),
  )
  const subjects = changes.flatMap((change) => subjectRows(change))
  return [...columnsOf(traces, 17), ...columnsOf(chunks, 5), ...columnsOf(subjects, 4)]
}

function columnsOf(rows: readonly (readonly unknown[])[], count: number): unknown[][] {
  return Array.from({ length: count }, (_, column) => rows.map((row) => row[column]))
}

function traceRow(change: TraceChange): unknown[] {
  const { traceId, kind, status, startedAt, endedAt, usage, subjects, spans, entity } = change
  const { type = '', id = '', name: shown = '' } = entity ?? {}
  const title = [escapeNul(change.name), type, storableId(id), escapeNul(shown)] as const
  const execution = subjects.find(isExecution)?.[1]
  return [
    traceId,
    titleId(title),
    ...title,
    execution === undefined ? null : storableId(execution),
    kind,
    status ?? null,
    Math.floor(startedAt),
    endedAt,
    dayOf(startedAt),
    spans.reduce((sum, { isNew }) => sum + Number(isNew), 0),
    usage?.inputTokens ?? null,
    usage?.outputTokens ?? null,
    usage ? usage.costNano : 0,
    entity !== undefined,
  ]
}

/** The id of a row of `trace_titles`: a hash of its other columns. */
export function titleId(columns: readonly [name: string, type: string, id: string, shown: string]): string {
  return createHash('sha256').update(JSON.stringify(columns)).digest('hex').slice(0, 32)
}

function subjectRows({ traceId, subjects, entity }: TraceChange): unknown[][] {
  const execution = subjects.find(isExecution)
  return subjects.map((one) => [
    traceId,
    SUBJECTS.indexOf(one[0]),
    storableId(one[1]),
    // a new trace's row or title has it
    one === execution || (entity !== undefined && isEntity(one, entity)),
  ])
}

function isExecution([subject]: TraceSubject): boolean {
  return subject === 'executionId'
}

function isEntity([subject, id]: TraceSubject, entity: TraceEntity): boolean {
  return ENTITY_OF[subject] === entity.type && id === entity.id
}

/** An id as it is stored and found in an index. */
export function storableId(id: string): string {
  return escapeNul(POSTGRES.storedId(id))
}

/** One change for each trace, in the order of the trace ids: a statement can change a row only once. */
function mergeChanges(changes: readonly TraceChange[]): TraceChange[] {
  const merged = new Map<string, TraceChange>()
  for (const change of changes) {
    const before = merged.get(change.traceId)
    merged.set(change.traceId, before ? merge(before, change) : change)
  }
  return [...merged.values()].toSorted((a, b) => (a.traceId < b.traceId ? -1 : 1))
}

function merge(one: TraceChange, next: TraceChange): TraceChange {
  return {
    ...(!one.entity && next.entity ? next : one),
    startedAt: Math.min(one.startedAt, next.startedAt),
    endedAt: Math.max(one.endedAt, next.endedAt),
    kind: one.kind,
    status: next.status ?? one.status,
    usage: sumOf(one.usage, next.usage),
    subjects: [...one.subjects, ...next.subjects],
    spans: mergeSpans([...one.spans, ...next.spans]),
  }
}

/** Each span once, in its last version. */
function mergeSpans(spans: readonly SpanWrite[]): SpanWrite[] {
  const merged = new Map<string, SpanWrite>()
  for (const span of spans) {
    const isNew = span.isNew || merged.get(span.spanId)?.isNew === true
    merged.set(span.spanId, isNew === span.isNew ? span : { ...span, isNew })
  }
  return [...merged.values()]
}

function sumOf(one: TokenCount | undefined, other: TokenCount | undefined): TokenCount | undefined {
  if (!one || !other) return one ?? other
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    costNano: one.costNano === null || other.costNano === null ? null : one.costNano + other.costNano,
  }
}
