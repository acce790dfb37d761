import { HOUR_MS } from '../../activity-store.ts'

/** What is kept of agent runs that survive their process. */
export const RUN_TABLES = `
  ALTER TABLE agent_runs
    -- JSON: what another process needs to continue the run; null for a run that ends with its process
    ADD COLUMN continuation text,
    -- the execution or the run that it is a part of; null for a caller
    ADD COLUMN parent_id text COLLATE "C",
    -- by which what requested it finds it again
    ADD COLUMN request_key text COLLATE "C",
    -- when a suspended run ends without an answer
    ADD COLUMN expires_at bigint,
    -- how often its process has crashed since the last recorded call
    ADD COLUMN crashes int NOT NULL DEFAULT 0;
  CREATE UNIQUE INDEX agent_runs_by_request ON agent_runs (request_key) WHERE request_key IS NOT NULL;

  -- answers of models and results of tools, until their run ends or is suspended
  CREATE TABLE agent_calls (
    run bigint NOT NULL REFERENCES agent_runs ON DELETE CASCADE,
    key text COLLATE "C" NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (run, key)
  );

  -- parts of answers that others than their caller can read
  CREATE TABLE agent_parts (
    run bigint NOT NULL REFERENCES agent_runs ON DELETE CASCADE,
    -- number of the last part
    seq bigint NOT NULL,
    -- JSON texts, one per line
    data text NOT NULL,
    PRIMARY KEY (run, seq)
  );

  -- what suspended runs wait for, and what they have waited for
  CREATE TABLE agent_approvals (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    run bigint NOT NULL REFERENCES agent_runs ON DELETE CASCADE,
    kind text NOT NULL,
    tool_call_id text NOT NULL,
    tool_name text NOT NULL,
    input text NOT NULL,
    created_at bigint NOT NULL,
    decided_at bigint,
    decision text
  );
  CREATE INDEX agent_approvals_of_run ON agent_approvals (run);
  CREATE INDEX agent_approvals_pending ON agent_approvals (number) WHERE decided_at IS NULL;

  CREATE FUNCTION end_agent_run() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    DELETE FROM agent_calls WHERE run = NEW.number;
    IF NEW.ended_at IS NOT NULL THEN
      DELETE FROM agent_approvals WHERE run = NEW.number AND decided_at IS NULL;
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER agent_runs_end AFTER UPDATE OF status ON agent_runs FOR EACH ROW
    WHEN (OLD.continuation IS NOT NULL AND NEW.status <> 'running') EXECUTE FUNCTION end_agent_run();
`

/** The messages of runs that have not ended. */
export const OPEN_EXCHANGE_COLUMNS = `
  ALTER TABLE agent_runs
    -- conversations.number, until the run ends; null when it extends none
    ADD COLUMN conversation bigint REFERENCES conversations ON DELETE SET NULL,
    -- JSON: the messages that it adds to the conversation
    ADD COLUMN exchange text;
  CREATE INDEX agent_runs_in_conversation ON agent_runs (conversation) WHERE conversation IS NOT NULL;
  CREATE FUNCTION leave_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.conversation := NULL;
    NEW.exchange := NULL;
    RETURN NEW;
  END $$;
  CREATE TRIGGER agent_runs_leave BEFORE UPDATE OF ended_at ON agent_runs FOR EACH ROW
    WHEN (NEW.ended_at IS NOT NULL AND NEW.conversation IS NOT NULL) EXECUTE FUNCTION leave_conversation();
`

/** Runs that end with what they are a part of are counted like others. Each connection has a row of its own. */
export const COUNTED_PART_TRIGGER = `
  CREATE FUNCTION count_ended_part() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    INSERT INTO hours (hour, owner_epoch, answers) VALUES (NEW.ended_at / ${HOUR_MS}, -pg_backend_pid(), 1)
      ON CONFLICT (hour, owner_epoch) DO UPDATE SET answers = hours.answers + 1;
    RETURN NULL;
  END $$;
  CREATE TRIGGER agent_runs_count_parts AFTER UPDATE OF ended_at ON agent_runs FOR EACH ROW
    WHEN (OLD.status = 'suspended' AND NEW.status = 'aborted' AND NEW.requester IS NOT NULL)
    EXECUTE FUNCTION count_ended_part();
`

/** Runs that wait end with the execution or the run that they are a part of, however that ends. */
export const WAITING_PART_TRIGGERS = `
  CREATE INDEX agent_runs_waiting_parts ON agent_runs (parent_id) WHERE status = 'suspended';
  CREATE FUNCTION end_waiting_parts() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    UPDATE agent_runs SET status = 'aborted', ended_at = NEW.ended_at, continuation = NULL, expires_at = NULL
      WHERE parent_id = NEW.id AND requester = TG_ARGV[0] AND status = 'suspended';
    RETURN NULL;
  END $$;
  CREATE TRIGGER executions_end_parts AFTER UPDATE OF ended_at ON executions FOR EACH ROW
    WHEN (NEW.ended_at IS NOT NULL AND OLD.ended_at IS NULL) EXECUTE FUNCTION end_waiting_parts('step');
  CREATE TRIGGER agent_runs_end_parts AFTER UPDATE OF ended_at ON agent_runs FOR EACH ROW
    WHEN (NEW.ended_at IS NOT NULL AND OLD.ended_at IS NULL) EXECUTE FUNCTION end_waiting_parts('agent');
`

/** The calls of answers are recorded by executions, which have their crashes as well. */
export const RUNS_OF_EXECUTIONS = `
  CREATE OR REPLACE FUNCTION end_agent_run() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    IF NEW.ended_at IS NOT NULL THEN
      DELETE FROM agent_approvals WHERE run = NEW.number AND decided_at IS NULL;
    END IF;
    RETURN NULL;
  END $$;
  -- an answer ends with its execution
  CREATE FUNCTION end_answer() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    UPDATE agent_runs SET ended_at = NEW.ended_at, expires_at = NULL,
        status = CASE NEW.status WHEN 'error' THEN 'error' ELSE 'aborted' END,
        error = CASE NEW.status WHEN 'error' THEN NEW.error::json ->> 'message' END
      WHERE id = NEW.id AND ended_at IS NULL;
    IF FOUND THEN
      INSERT INTO hours (hour, owner_epoch, answers) VALUES (NEW.ended_at / ${HOUR_MS}, -pg_backend_pid(), 1)
        ON CONFLICT (hour, owner_epoch) DO UPDATE SET answers = hours.answers + 1;
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER executions_end_answer AFTER UPDATE OF ended_at ON executions FOR EACH ROW
    WHEN (NEW.kind = 'answer' AND NEW.status <> 'completed' AND NEW.ended_at IS NOT NULL AND OLD.ended_at IS NULL)
    EXECUTE FUNCTION end_answer();
  DROP TABLE agent_calls;
  ALTER TABLE agent_runs DROP COLUMN crashes, DROP COLUMN suspected, DROP COLUMN trial;
`
