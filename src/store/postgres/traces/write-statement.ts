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

const SUBJECTS = `INSERT INTO trace_subjects
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
export const WRITE = `WITH given AS (${GIVEN}), titles AS (${TITLES}), trace AS (${TRACES}), chunks AS (${CHUNKS}),
  subjects AS (${SUBJECTS}), moved AS (${MOVED_SUBJECTS}) ${COUNT}`
