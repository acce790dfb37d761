/** Runs of evals, and the cases that have ended. */
export const SQLITE_EVAL_TABLES = `
CREATE TABLE eval_runs (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  eval_id TEXT NOT NULL,
  status TEXT NOT NULL,
  owner_epoch INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  commit_id TEXT,
  -- JSON; null: several
  target TEXT,
  -- null until the code is loaded
  threshold REAL,
  cases INTEGER,
  ended_cases INTEGER NOT NULL DEFAULT 0,
  -- those with a score below 1
  failed_cases INTEGER NOT NULL DEFAULT 0,
  score_sum REAL NOT NULL DEFAULT 0,
  -- nano-dollars; null: unknown
  cost_nano INTEGER DEFAULT 0,
  -- JSON
  error TEXT
) STRICT;
CREATE INDEX eval_runs_by_eval ON eval_runs (eval_id, number);
CREATE INDEX eval_runs_ended ON eval_runs (ended_at) WHERE ended_at IS NOT NULL;
CREATE UNIQUE INDEX eval_runs_running ON eval_runs (eval_id) WHERE ended_at IS NULL;
CREATE TABLE eval_cases (
  number INTEGER PRIMARY KEY,
  -- eval_runs.number
  run INTEGER NOT NULL,
  -- place among the cases of the run, from 0
  position INTEGER NOT NULL,
  -- JSON
  result TEXT NOT NULL,
  UNIQUE (run, position)
) STRICT;
CREATE INDEX eval_cases_of_run ON eval_cases (run, number);
CREATE TRIGGER eval_runs_deleted AFTER DELETE ON eval_runs BEGIN
  DELETE FROM eval_cases WHERE run = old.number;
END;
`
