/** Runs of evals, and the cases that have ended. */
export const EVAL_TABLES = `
CREATE TABLE eval_runs (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  eval_id text COLLATE "C" NOT NULL,
  status text NOT NULL,
  owner_epoch bigint NOT NULL,
  started_at bigint NOT NULL,
  ended_at bigint,
  commit_id text,
  -- JSON; null: several
  target text,
  -- null until the code is loaded
  threshold float8,
  cases bigint,
  ended_cases bigint NOT NULL DEFAULT 0,
  -- those with a score below 1
  failed_cases bigint NOT NULL DEFAULT 0,
  score_sum float8 NOT NULL DEFAULT 0,
  -- nano-dollars; null: unknown
  cost_nano bigint DEFAULT 0,
  -- JSON
  error text
);
CREATE INDEX eval_runs_by_eval ON eval_runs (eval_id, number);
CREATE INDEX eval_runs_ended ON eval_runs (ended_at) WHERE ended_at IS NOT NULL;
CREATE UNIQUE INDEX eval_runs_running ON eval_runs (eval_id) WHERE ended_at IS NULL;
CREATE TABLE eval_cases (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run bigint NOT NULL REFERENCES eval_runs ON DELETE CASCADE,
  -- place among the cases of the run, from 0
  position bigint NOT NULL,
  -- JSON
  result text NOT NULL,
  UNIQUE (run, position)
);
CREATE INDEX eval_cases_of_run ON eval_cases (run, number);
`
