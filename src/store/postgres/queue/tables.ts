/** Executions of workflows with limits. */
export const QUEUE_TABLES = `
CREATE TABLE queue_limits (
  workflow_id text COLLATE "C" PRIMARY KEY,
  -- null: no limit. The row is the lock of the workflow's places
  concurrency int,
  rate int,
  per_ms bigint
);
CREATE SEQUENCE queue_ages;
CREATE TABLE queue (
  execution_id text COLLATE "C" PRIMARY KEY,
  workflow_id text COLLATE "C" NOT NULL,
  -- by age
  number bigint NOT NULL,
  concurrency_key text COLLATE "C" NOT NULL,
  rate_key text COLLATE "C" NOT NULL,
  priority double precision NOT NULL,
  since bigint NOT NULL,
  -- waiting, running, or ended (kept while its start counts)
  state text COLLATE "C" NOT NULL,
  -- null: it has not started
  started_at bigint
);
CREATE INDEX queue_waiting ON queue (workflow_id, concurrency_key, priority DESC, number) WHERE state = 'waiting';
CREATE INDEX queue_in_order ON queue (workflow_id, priority DESC, number) WHERE state = 'waiting';
CREATE INDEX queue_running ON queue (workflow_id, concurrency_key) WHERE state = 'running';
CREATE INDEX queue_starts ON queue (workflow_id, rate_key, started_at) WHERE started_at IS NOT NULL;
`
