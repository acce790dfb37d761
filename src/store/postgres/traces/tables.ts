/** The tables of traces. */
export const TRACING_TABLES = `
  -- distinct names and entities of traces: there are few, so filters by name search here
  CREATE TABLE trace_titles (
    -- a hash of the other columns
    id uuid PRIMARY KEY,
    name text NOT NULL,
    -- empty without an entity
    entity_type text NOT NULL,
    entity_id text COLLATE "C" NOT NULL,
    entity_name text NOT NULL
  );
  CREATE INDEX trace_titles_by_entity ON trace_titles (entity_type, entity_id);

  CREATE TABLE traces (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    trace_id text COLLATE "C" NOT NULL UNIQUE,
    title uuid NOT NULL REFERENCES trace_titles,
    has_entity boolean NOT NULL,
    -- the first execution; further ids are in trace_subjects
    execution_id text COLLATE "C",
    kind text NOT NULL,
    -- null, which is shown as ok: no span here determines it
    status text,
    -- owner epochs of the processes in which it runs
    open_on bigint[] NOT NULL,
    -- ok or error: how it ended in a process while it runs in others
    outcome text,
    started_at bigint NOT NULL,
    ended_at double precision NOT NULL,
    -- the partition of its spans: days since the epoch
    day integer NOT NULL,
    span_count bigint NOT NULL,
    input_tokens bigint,
    output_tokens bigint
  ) WITH (fillfactor = 90);
  CREATE INDEX traces_newest ON traces (started_at, number);
  CREATE INDEX traces_by_title ON traces (title, started_at, number);
  CREATE INDEX traces_by_execution ON traces (execution_id, started_at, number) WHERE execution_id IS NOT NULL;
  -- partial, as most traces are ok
  CREATE INDEX traces_by_status ON traces (status, started_at, number) WHERE status <> 'ok';
  CREATE INDEX traces_by_day ON traces (day);

  CREATE TABLE trace_subjects (
    trace bigint NOT NULL,
    -- 0 workflow, 1 execution, 2 agent, 3 conversation, 4 user
    subject smallint NOT NULL,
    id text COLLATE "C" NOT NULL,
    started_at bigint NOT NULL,
    PRIMARY KEY (trace, subject, id)
  );
  CREATE INDEX traces_by_subject ON trace_subjects (subject, id, started_at, trace);

  CREATE SEQUENCE span_chunk_numbers;
  CREATE TABLE span_chunks (
    -- traces.number
    trace bigint NOT NULL,
    -- the day of the trace
    day integer NOT NULL,
    number bigint NOT NULL DEFAULT nextval('span_chunk_numbers'),
    owner_epoch bigint NOT NULL,
    -- number of spans that are written for the first time
    added integer NOT NULL,
    -- start of the first and the last span, in milliseconds since the epoch
    first_at bigint NOT NULL,
    last_at bigint NOT NULL,
    -- JSON array of spans; of two with the same id the one in the later chunk is valid
    spans text NOT NULL,
    PRIMARY KEY (trace, first_at, number, day)
  ) PARTITION BY RANGE (day);
  CREATE INDEX span_chunks_by_time ON span_chunks (first_at, last_at);
  CREATE INDEX span_chunks_by_owner ON span_chunks (owner_epoch, number);

  -- the partitions, by days since the epoch, with what they have: counting it takes too long
  CREATE TABLE trace_days (day integer PRIMARY KEY, traces bigint NOT NULL DEFAULT 0, spans bigint NOT NULL DEFAULT 0);
`
