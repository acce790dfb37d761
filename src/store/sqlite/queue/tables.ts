/** Executions of workflows with limits. */
export const PLACE_TABLES = `
  CREATE TABLE queue_limits (
    workflow_id TEXT PRIMARY KEY,
    -- null: no limit
    concurrency INTEGER,
    rate INTEGER,
    per_ms INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE queue (
    -- by age
    number INTEGER PRIMARY KEY,
    execution_id TEXT NOT NULL UNIQUE,
    workflow_id TEXT NOT NULL,
    concurrency_key TEXT NOT NULL,
    rate_key TEXT NOT NULL,
    priority REAL NOT NULL,
    since INTEGER NOT NULL,
    -- waiting, running, or ended (kept while its start counts)
    state TEXT NOT NULL,
    -- null: it has not started
    started_at INTEGER
  ) STRICT;
  CREATE INDEX queue_waiting ON queue (workflow_id, concurrency_key, priority DESC, number) WHERE state = 'waiting';
  CREATE INDEX queue_in_order ON queue (workflow_id, priority DESC, number) WHERE state = 'waiting';
  CREATE INDEX queue_running ON queue (workflow_id, concurrency_key) WHERE state = 'running';
  CREATE INDEX queue_starts ON queue (workflow_id, rate_key, started_at) WHERE started_at IS NOT NULL;
`
