/** Migration 6, the tables of traces. */
export const TRACE_TABLES = `
  -- distinct names and entities of traces: there are few, so filters by name search here
  CREATE TABLE trace_titles (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    -- empty without an entity
    entity_type TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    entity_name TEXT NOT NULL,
    UNIQUE (name, entity_type, entity_id, entity_name)
  ) STRICT;
  CREATE INDEX trace_titles_by_entity ON trace_titles (entity_type, entity_id);

  CREATE TABLE traces (
    number INTEGER PRIMARY KEY,
    trace_id TEXT NOT NULL UNIQUE,
    title INTEGER NOT NULL,
    -- the first execution; further ids are in trace_subjects
    execution_id TEXT,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at REAL NOT NULL,
    span_count INTEGER NOT NULL,
    input_tokens INTEGER,
    output_tokens INTEGER
  ) STRICT;
  CREATE INDEX traces_newest ON traces (started_at);
  CREATE INDEX traces_by_title ON traces (title, started_at);
  CREATE INDEX traces_by_execution ON traces (execution_id, started_at) WHERE execution_id IS NOT NULL;
  -- partial, as most traces are ok
  CREATE INDEX traces_by_status ON traces (status, started_at) WHERE status <> 'ok';

  CREATE TABLE trace_subjects (
    trace INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    id TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    PRIMARY KEY (trace, subject, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX traces_by_subject ON trace_subjects (subject, id, started_at, trace);

  CREATE TABLE span_chunks (
    -- traces.number * 1048576 + index of the chunk in its trace
    number INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    -- number of spans that are written for the first time
    added INTEGER NOT NULL,
    -- start of the first and the last span, in milliseconds since the epoch
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    -- JSON array of spans; of two with the same id the one in the later chunk is valid
    spans TEXT NOT NULL
  ) STRICT;
  CREATE INDEX span_chunks_by_time ON span_chunks (first_at, last_at);

  -- maintained with each write, as counting millions of rows takes too long
  CREATE TABLE trace_totals (singleton INTEGER PRIMARY KEY CHECK (singleton = 1), traces INTEGER NOT NULL, spans INTEGER NOT NULL) STRICT;
  INSERT INTO trace_totals VALUES (1, 0, 0);
  `
