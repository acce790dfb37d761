/** Executions of workflows with limits. */
export const QUEUE_TABLES = `
CREATE TABLE queue_limits (
  workflow_id text COLLATE "C" PRIMARY KEY,
  -- null: no limit. The row is the lock of the workflow's places
  concurrency int,
  rate int,
  per_ms bigint,
  -- how many executions wait
  waiting bigint NOT NULL DEFAULT 0
);
CREATE SEQUENCE queue_ages;
CREATE TABLE queue (
  execution_id text COLLATE "C" PRIMARY KEY,
  workflow_id text COLLATE "C" NOT NULL,
  -- by age
  number bigint NOT NULL,
  concurrency_key text COLLATE "C" NOT NULL,
  -- '-' once its start has been counted
  rate_key text COLLATE "C" NOT NULL,
  -- the negative priority: lower ones are first
  rank double precision NOT NULL,
  since bigint NOT NULL,
  -- waiting, running, suspended
  state text COLLATE "C" NOT NULL
);
CREATE INDEX queue_waiting ON queue (workflow_id, concurrency_key, rate_key, rank, number) WHERE state = 'waiting';
CREATE INDEX queue_by_concurrency ON queue (workflow_id, concurrency_key, rank, number) WHERE state = 'waiting';
CREATE INDEX queue_by_rate ON queue (workflow_id, rate_key, rank, number) WHERE state = 'waiting';
CREATE INDEX queue_running ON queue (workflow_id, concurrency_key) WHERE state = 'running';
-- starts that count for a rate, in the clock of the database
CREATE TABLE queue_starts (
  execution_id text COLLATE "C" PRIMARY KEY,
  workflow_id text COLLATE "C" NOT NULL,
  rate_key text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL
);
CREATE INDEX queue_starts_of_key ON queue_starts (workflow_id, rate_key, started_at);
CREATE INDEX queue_starts_by_time ON queue_starts (workflow_id, started_at);
`
