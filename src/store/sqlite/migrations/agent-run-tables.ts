/** What is kept of agent runs that survive their process. */
export const AGENT_RUN_TABLES = `
  -- JSON: what another process needs to continue the run; null for a run that ends with its process
  ALTER TABLE agent_runs ADD COLUMN continuation TEXT;
  -- the execution or the run that it is a part of; null for a caller
  ALTER TABLE agent_runs ADD COLUMN parent_id TEXT;
  -- by which what requested it finds it again
  ALTER TABLE agent_runs ADD COLUMN request_key TEXT;
  -- when a suspended run ends without an answer
  ALTER TABLE agent_runs ADD COLUMN expires_at INTEGER;
  -- how often its process has crashed since the last recorded call
  ALTER TABLE agent_runs ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;
  CREATE UNIQUE INDEX agent_runs_by_request ON agent_runs (request_key) WHERE request_key IS NOT NULL;

  -- answers of models and results of tools, until their run ends or is suspended
  CREATE TABLE agent_calls (
    number INTEGER PRIMARY KEY,
    -- agent_runs.number
    run INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    UNIQUE (run, key)
  ) STRICT;

  -- parts of answers that others than their caller can read
  CREATE TABLE agent_parts (
    number INTEGER PRIMARY KEY,
    -- agent_runs.number
    run INTEGER NOT NULL,
    -- number of the last part
    seq INTEGER NOT NULL,
    -- JSON texts, one per line
    data TEXT NOT NULL,
    UNIQUE (run, seq)
  ) STRICT;

  -- what suspended runs wait for, and what they have waited for
  CREATE TABLE agent_approvals (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    -- agent_runs.number
    run INTEGER NOT NULL,
    kind TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    input TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    decided_at INTEGER,
    decision TEXT
  ) STRICT;
  CREATE INDEX agent_approvals_of_run ON agent_approvals (run);
  CREATE INDEX agent_approvals_pending ON agent_approvals (number) WHERE decided_at IS NULL;

  CREATE TRIGGER agent_runs_end AFTER UPDATE OF status ON agent_runs
    WHEN old.continuation IS NOT NULL AND new.status <> 'running'
  BEGIN
    DELETE FROM agent_calls WHERE run = new.number;
    DELETE FROM agent_approvals WHERE run = new.number AND decided_at IS NULL AND new.ended_at IS NOT NULL;
  END;
  CREATE TRIGGER agent_runs_delete AFTER DELETE ON agent_runs BEGIN
    DELETE FROM agent_parts WHERE run = old.number;
    DELETE FROM agent_approvals WHERE run = old.number;
  END;
  `

/** What is deleted with a run. */
export const RUN_DELETION = `
  -- a run may be deleted while it runs, and numbers of deleted rows are used again
  DROP TRIGGER agent_runs_delete;
  CREATE TRIGGER agent_runs_delete AFTER DELETE ON agent_runs BEGIN
    DELETE FROM agent_calls WHERE run = old.number;
    DELETE FROM agent_parts WHERE run = old.number;
    DELETE FROM agent_approvals WHERE run = old.number;
  END;
  `

/** Runs that end with what they are a part of are counted like others. */
export const COUNTED_PARTS = `
  CREATE TRIGGER agent_runs_count_parts AFTER UPDATE OF ended_at ON agent_runs
    WHEN old.status = 'suspended' AND new.status = 'aborted' AND new.requester IS NOT NULL
  BEGIN
    INSERT INTO hours (hour, answers) VALUES (new.ended_at / 3600000, 1)
      ON CONFLICT (hour) DO UPDATE SET answers = answers + 1;
  END;
`

/** Runs that wait end with the execution or the run that they are a part of, however that ends. */
export const WAITING_PARTS = `
  CREATE INDEX agent_runs_waiting_parts ON agent_runs (parent_id) WHERE status = 'suspended';
  CREATE TRIGGER executions_end_parts AFTER UPDATE OF ended_at ON executions
    WHEN new.ended_at IS NOT NULL AND old.ended_at IS NULL
  BEGIN
    UPDATE agent_runs SET status = 'aborted', ended_at = new.ended_at, continuation = NULL, expires_at = NULL
      WHERE parent_id = new.id AND requester = 'step' AND status = 'suspended';
  END;
  CREATE TRIGGER agent_runs_end_parts AFTER UPDATE OF ended_at ON agent_runs
    WHEN new.ended_at IS NOT NULL AND old.ended_at IS NULL
  BEGIN
    -- a trigger does not call itself
    UPDATE agent_runs SET status = 'aborted', ended_at = new.ended_at, continuation = NULL, expires_at = NULL
      WHERE number IN (
        WITH RECURSIVE parts (number, id) AS (
          SELECT number, id FROM agent_runs WHERE parent_id = new.id AND requester = 'agent' AND status = 'suspended'
          UNION ALL
          SELECT r.number, r.id FROM parts JOIN agent_runs r ON r.parent_id = parts.id
            WHERE r.requester = 'agent' AND r.status = 'suspended'
        )
        SELECT number FROM parts
      );
  END;
`

/** The calls of answers are recorded by executions, which have their crashes as well. */
export const SQLITE_RUNS_OF_EXECUTIONS = `
  DROP TRIGGER agent_runs_end;
  CREATE TRIGGER agent_runs_end AFTER UPDATE OF status ON agent_runs
    WHEN old.continuation IS NOT NULL AND new.ended_at IS NOT NULL
  BEGIN
    DELETE FROM agent_approvals WHERE run = new.number AND decided_at IS NULL;
  END;
  DROP TRIGGER agent_runs_delete;
  CREATE TRIGGER agent_runs_delete AFTER DELETE ON agent_runs BEGIN
    DELETE FROM agent_parts WHERE run = old.number;
    DELETE FROM agent_approvals WHERE run = old.number;
  END;
  -- an answer ends with its execution
  CREATE TRIGGER executions_end_answer AFTER UPDATE OF ended_at ON executions
    WHEN new.kind = 'answer' AND new.status <> 'completed' AND new.ended_at IS NOT NULL AND old.ended_at IS NULL
  BEGIN
    INSERT INTO hours (hour, answers)
      SELECT new.ended_at / 3600000, 1 FROM agent_runs WHERE id = new.id AND ended_at IS NULL
      ON CONFLICT (hour) DO UPDATE SET answers = answers + 1;
    UPDATE agent_runs SET ended_at = new.ended_at, expires_at = NULL,
        status = CASE new.status WHEN 'error' THEN 'error' ELSE 'aborted' END,
        error = CASE new.status WHEN 'error' THEN new.error ->> 'message' END
      WHERE id = new.id AND ended_at IS NULL;
  END;
  DROP TABLE agent_calls;
  ALTER TABLE agent_runs DROP COLUMN crashes;
  ALTER TABLE agent_runs DROP COLUMN suspected;
  ALTER TABLE agent_runs DROP COLUMN trial;
`
