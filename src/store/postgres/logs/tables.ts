/** The tables of log records. */
export const LOG_TABLES = `
  -- ids are the time in milliseconds times 1024, plus a counter: the order by id is the order by time; a partition a day
  CREATE TABLE logs (
    id bigint PRIMARY KEY,
    owner_epoch bigint NOT NULL,
    timestamp bigint NOT NULL,
    level integer NOT NULL,
    message text NOT NULL,
    attributes text NOT NULL,
    trace_id text COLLATE "C",
    span_id text COLLATE "C",
    execution_id text COLLATE "C",
    workflow_id text COLLATE "C",
    agent_id text COLLATE "C"
  ) PARTITION BY RANGE (id);
  CREATE INDEX logs_by_owner ON logs (owner_epoch, id);
  CREATE INDEX logs_by_trace ON logs (trace_id, id) WHERE trace_id IS NOT NULL;
  CREATE INDEX logs_by_span ON logs (span_id, id) WHERE span_id IS NOT NULL;
  CREATE INDEX logs_by_execution ON logs (execution_id, id) WHERE execution_id IS NOT NULL;
  CREATE INDEX logs_by_workflow ON logs (workflow_id, id) WHERE workflow_id IS NOT NULL;
  CREATE INDEX logs_by_agent ON logs (agent_id, id) WHERE agent_id IS NOT NULL;
  CREATE INDEX logs_of_warnings ON logs (id) WHERE level >= 40;
  CREATE INDEX logs_of_errors ON logs (id) WHERE level >= 50;

  -- the partitions, by days since the epoch, with the number of their records: counting them takes too long
  CREATE TABLE log_days (day integer PRIMARY KEY, records bigint NOT NULL DEFAULT 0);
`
