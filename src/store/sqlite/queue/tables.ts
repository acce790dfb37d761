/** Executions of workflows with limits. */
export const SQLITE_QUEUE_TABLES = `
  CREATE TABLE queue_limits (
    workflow_id TEXT PRIMARY KEY,
    -- null: no limit
    concurrency INTEGER,
    rate INTEGER,
    per_ms INTEGER,
    -- how many executions wait
    waiting INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE queue (
    -- by age
    number INTEGER PRIMARY KEY,
    execution_id TEXT NOT NULL UNIQUE,
    workflow_id TEXT NOT NULL,
    concurrency_key TEXT NOT NULL,
    -- '-' once its start has been counted
    rate_key TEXT NOT NULL,
    -- the negative priority: lower ones are first
    rank REAL NOT NULL,
    since INTEGER NOT NULL,
    -- waiting, running, suspended
    state TEXT NOT NULL
  ) STRICT;
  CREATE INDEX queue_waiting ON queue (workflow_id, concurrency_key, rate_key, rank, number) WHERE state = 'waiting';
  CREATE INDEX queue_by_concurrency ON queue (workflow_id, concurrency_key, rank, number) WHERE state = 'waiting';
  CREATE INDEX queue_by_rate ON queue (workflow_id, rate_key, rank, number) WHERE state = 'waiting';
  CREATE INDEX queue_running ON queue (workflow_id, concurrency_key) WHERE state = 'running';
  -- starts that count for a rate
  CREATE TABLE queue_starts (
    execution_id TEXT PRIMARY KEY,
    workflow_id TEXT NOT NULL,
    rate_key TEXT NOT NULL,
    started_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX queue_starts_of_key ON queue_starts (workflow_id, rate_key, started_at);
  CREATE INDEX queue_starts_by_time ON queue_starts (workflow_id, started_at);
`
