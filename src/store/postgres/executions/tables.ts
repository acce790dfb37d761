/** Tables of executions and of the counts of activity. Ids are compared byte by byte, whatever the database's locale. */
export const EXECUTION_TABLES = `
CREATE TABLE executions (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  workflow_id text COLLATE "C" NOT NULL,
  workflow_name text NOT NULL,
  status text COLLATE "C" NOT NULL,
  owner_epoch bigint NOT NULL,
  -- sequence number of the last event; 0 before the first
  last_sequence int NOT NULL DEFAULT 0,
  -- how often its process has crashed since the last end of a step
  crashes int NOT NULL DEFAULT 0,
  -- token of the last write, except for one that changes only columns: it shows whether a write whose answer was lost was stored
  last_write bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  ended_at bigint,
  user_id text COLLATE "C",
  conversation_id text COLLATE "C",
  parent_id text COLLATE "C",
  definition_hash text NOT NULL,
  trace_id text NOT NULL,
  span_id text NOT NULL,
  output text,
  error text,
  suspension text,
  suspend_request text,
  forked_from text,
  -- the execution that is replayed, from forked_from
  origin_id text COLLATE "C",
  owner text COLLATE "C",
  resumed_user text
) WITH (fillfactor = 80);
CREATE INDEX executions_newest ON executions (created_at, number);
CREATE INDEX executions_by_workflow ON executions (workflow_id, created_at, number);
CREATE INDEX executions_by_user ON executions (user_id, created_at, number) WHERE user_id IS NOT NULL;
CREATE INDEX executions_by_conversation ON executions (conversation_id, created_at, number)
  WHERE conversation_id IS NOT NULL;
CREATE INDEX executions_by_parent ON executions (parent_id, created_at, number) WHERE parent_id IS NOT NULL;
CREATE INDEX executions_by_origin ON executions (origin_id, created_at, number) WHERE origin_id IS NOT NULL;
CREATE INDEX executions_by_end ON executions (ended_at, number) WHERE ended_at IS NOT NULL;
-- two partial indexes: the one of open executions, which changes with every status, stays small
CREATE INDEX executions_open ON executions (status, created_at, number) WHERE ended_at IS NULL;
CREATE INDEX executions_ended ON executions (status, created_at, number) WHERE ended_at IS NOT NULL;
CREATE INDEX executions_ended_by_workflow ON executions (workflow_id, status, created_at, number)
  WHERE ended_at IS NOT NULL;
CREATE INDEX executions_running ON executions (owner_epoch) WHERE status = 'running';
-- executions that wait for input, and failed ones, without children of other executions
CREATE INDEX executions_waiting ON executions (created_at) WHERE status = 'suspended' AND parent_id IS NULL;
CREATE INDEX executions_failed ON executions (ended_at) WHERE status = 'error' AND parent_id IS NULL;

-- separate from executions, whose rows are rewritten at every step boundary
CREATE TABLE payloads (
  -- executions.number
  execution bigint PRIMARY KEY,
  input text NOT NULL,
  context text NOT NULL,
  "user" text
);

-- a row for each commit of an execution
CREATE TABLE journal (
  execution bigint NOT NULL,
  -- sequence number of the last event
  seq int NOT NULL,
  -- changed step rows, a JSON array
  steps text NOT NULL,
  -- events as streams send them, a JSON array
  events text NOT NULL,
  PRIMARY KEY (execution, seq)
);

-- the commits with workflow-level events; apart from the journal, so that a number is given in the order of the commits
-- without writing the row of the commit twice
CREATE TABLE milestones (
  number bigint PRIMARY KEY,
  execution bigint NOT NULL,
  seq int NOT NULL,
  UNIQUE (execution, seq)
);
CREATE TABLE counters (singleton int PRIMARY KEY CHECK (singleton = 1), milestone bigint NOT NULL);
INSERT INTO counters VALUES (1, 0);

-- counts per hour since the epoch. Each machine changes rows of its own, so that none waits for another; those of past
-- hours are merged under owner epoch 0
CREATE TABLE hours (
  hour int NOT NULL,
  owner_epoch bigint NOT NULL,
  started bigint NOT NULL DEFAULT 0,
  completed bigint NOT NULL DEFAULT 0,
  errors bigint NOT NULL DEFAULT 0,
  cancelled bigint NOT NULL DEFAULT 0,
  answers bigint NOT NULL DEFAULT 0,
  input_tokens bigint NOT NULL DEFAULT 0,
  output_tokens bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (hour, owner_epoch)
);
`
