import { HOUR_MS } from '../../lib/clock.ts'
import { CHANGED_CODE_WAITS, NEEDS_INPUT } from '../rows/executions/execution-columns.ts'
import { WRITE_EXECUTIONS } from './executions/write-function.ts'
import { QUEUE_FUNCTIONS } from './queue/queue-functions.ts'

/**
 * Version 1 of the schema, which creates all tables and functions. It is that of release
 * 0.1.0 and never changes after it, except for its comments: a change is a migration in migrations.ts.
 *
 * Times are milliseconds since the epoch. Ids are compared byte by byte, whatever the database's locale. A cost is in
 * nano-dollars; null when it is unknown, and so is every sum with it.
 */
export const POSTGRES_SCHEMA = `
-- EXECUTIONS

CREATE TABLE executions (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  workflow_id text COLLATE "C" NOT NULL,
  workflow_name text NOT NULL,
  status text COLLATE "C" NOT NULL,
  owner_epoch bigint NOT NULL,
  -- sequence number of the last event; 0 before the first
  last_sequence int NOT NULL DEFAULT 0,
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
  -- the key of the authenticated user who started it; null without one
  owner text COLLATE "C",
  -- JSON of the authenticated user who last resumed it
  resumed_user text,
  -- the steps before which it suspends, a JSON array
  pause_at text,
  -- what it is found by, JSON
  metadata text,
  -- JSON of why its steps are compensated, or of how that has ended
  compensation text,
  -- JSON of who has accepted that it runs on with code which its record does not fit
  accepted_changes text,
  -- when it ends with an error; null: never
  times_out_at bigint,
  -- workflow, or answer of an agent
  kind text NOT NULL DEFAULT 'workflow',
  -- the group of the failure that it ended with, or that it replays
  failure text COLLATE "C",
  -- the schedule that started it
  schedule_id text COLLATE "C"
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
-- executions that wait, and failed ones, without children of other executions
CREATE INDEX executions_waiting ON executions (created_at) WHERE status = 'suspended' AND parent_id IS NULL;
CREATE INDEX executions_failed ON executions (ended_at) WHERE status = 'error' AND parent_id IS NULL;
-- failures by their group: the one index counts the newest of all groups, the other lists one
CREATE INDEX executions_failures ON executions (ended_at, failure, status, workflow_id, number) WHERE failure IS NOT NULL;
CREATE INDEX executions_of_failure ON executions (failure, created_at, number) WHERE failure IS NOT NULL;
CREATE INDEX executions_of_schedule ON executions (schedule_id, created_at, number) WHERE schedule_id IS NOT NULL;
-- suspended ones that wait for input
CREATE INDEX executions_need_input ON executions (created_at) WHERE ${NEEDS_INPUT};
-- suspended ones whose record does not fit the code
CREATE INDEX executions_changed_code ON executions (created_at) WHERE ${CHANGED_CODE_WAITS};

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
  -- events as streams send them, a JSON array; a large value that the execution or a step has is left out, as its first
  -- element says
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

-- processes that have crashed, and what that says about what was in flight: alone, untried, all
CREATE TABLE lives (owner_epoch bigint PRIMARY KEY, crash text NOT NULL, at bigint NOT NULL);

-- EVENTS

CREATE TABLE events (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  name text COLLATE "C" NOT NULL,
  -- null: it has none
  key text COLLATE "C",
  -- JSON
  data text NOT NULL,
  at bigint NOT NULL,
  -- JSON of whom the access rules apply to
  sender text,
  -- why it did not start workflows, a JSON array; null for none
  misfits text
);
CREATE INDEX events_by_topic ON events (name, key, number);
CREATE INDEX events_by_time ON events (at);

-- the executions that took an event
CREATE TABLE event_takes (
  event_id text COLLATE "C" NOT NULL,
  execution_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (event_id, execution_id)
);
CREATE FUNCTION forget_event_takes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM event_takes WHERE event_id = old.id;
  RETURN NULL;
END $$;
CREATE TRIGGER events_pruned AFTER DELETE ON events FOR EACH ROW EXECUTE FUNCTION forget_event_takes();

-- steps that wait for events
CREATE TABLE waits (
  execution_id text COLLATE "C" NOT NULL,
  -- of the step
  path text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  key text COLLATE "C",
  -- when it began to wait
  since bigint NOT NULL,
  PRIMARY KEY (execution_id, path)
);
CREATE INDEX waits_by_topic ON waits (name, key);

-- SCHEDULES

CREATE TABLE schedules (
  id text COLLATE "C" PRIMARY KEY,
  revision bigint NOT NULL,
  -- names the instants that next_at is one of
  rule text NOT NULL,
  -- 0 or 1
  paused int NOT NULL,
  -- the instant that has a job
  next_at bigint,
  -- instants whose executions start one after the other, a JSON array
  waiting text NOT NULL,
  -- the newest instant whose execution was started
  tick_at bigint,
  -- the execution that was started last
  last_execution_id text COLLATE "C",
  last_at bigint
);

-- THE QUEUE: executions of workflows with limits

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
${QUEUE_FUNCTIONS}
-- CONVERSATIONS AND MEMORY

CREATE TABLE conversations (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- JSON of the user id; null without a user
  user_key text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  updated_at bigint NOT NULL,
  -- the key of the authenticated user who started it; null without one
  owner text,
  -- number of the last message; of messages up to forgotten, none is valid any more
  last_message bigint NOT NULL DEFAULT 0,
  forgotten bigint NOT NULL DEFAULT 0,
  created_at bigint NOT NULL DEFAULT (extract(epoch FROM now()) * 1000)::bigint,
  title text,
  -- ids of the agents that have answered in it, a JSON array
  agents text NOT NULL DEFAULT '[]',
  -- text of the messages up to number summarised
  summary text,
  summarised bigint NOT NULL DEFAULT 0,
  -- until when a process makes a summary
  claimed_until bigint,
  UNIQUE (user_key, id)
);
CREATE INDEX conversations_by_age ON conversations (updated_at);
CREATE INDEX conversations_by_user ON conversations (user_key, updated_at);

CREATE TABLE messages (
  conversation bigint NOT NULL REFERENCES conversations ON DELETE CASCADE,
  seq bigint NOT NULL,
  message text NOT NULL,
  -- whether a message of the API starts with it: an answer with its tool calls is one
  starts boolean NOT NULL DEFAULT true,
  PRIMARY KEY (conversation, seq)
);
CREATE INDEX messages_that_start ON messages (conversation, seq) WHERE starts;

CREATE TABLE working_memory (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  agent_id text COLLATE "C" NOT NULL,
  -- JSON of the user id; null without a user
  user_key text COLLATE "C" NOT NULL,
  -- JSON object
  value text NOT NULL,
  owner text,
  -- counts the changes
  revision bigint NOT NULL,
  used_at bigint NOT NULL,
  UNIQUE (agent_id, user_key)
);
CREATE INDEX working_memory_by_age ON working_memory (used_at);

-- ANSWERS OF AGENTS

CREATE TABLE agent_runs (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  agent_id text COLLATE "C" NOT NULL,
  status text NOT NULL,
  owner_epoch bigint NOT NULL,
  started_at bigint NOT NULL,
  ended_at bigint,
  user_id text COLLATE "C",
  conversation_id text COLLATE "C",
  trace_id text COLLATE "C" NOT NULL,
  input text NOT NULL,
  output text,
  error text,
  model text NOT NULL,
  usage text,
  steps text,
  -- what requested it: step or agent; null for a caller
  requester text,
  -- JSON: what another process needs to continue the run; null for a run that ends with its process
  continuation text,
  -- the execution or the run that it is a part of; null for a caller
  parent_id text COLLATE "C",
  -- by which what requested it finds it again
  request_key text COLLATE "C",
  -- when a suspended run ends without an answer
  expires_at bigint,
  -- why a guardrail blocked the input or the answer; null when none did
  blocked_reason text,
  -- until the run ends; null when it extends none
  conversation bigint REFERENCES conversations ON DELETE SET NULL,
  -- JSON: the messages that it adds to the conversation
  running_messages text,
  -- what the run was requested with besides its input, JSON
  options text
);
CREATE INDEX agent_runs_newest ON agent_runs (started_at, number);
CREATE INDEX agent_runs_by_agent ON agent_runs (agent_id, started_at, number);
CREATE INDEX agent_runs_by_status ON agent_runs (agent_id, status, started_at, number);
CREATE INDEX agent_runs_by_user ON agent_runs (user_id, started_at, number) WHERE user_id IS NOT NULL;
CREATE INDEX agent_runs_by_conversation ON agent_runs (conversation_id, started_at, number)
  WHERE conversation_id IS NOT NULL;
CREATE INDEX agent_runs_open ON agent_runs (owner_epoch) WHERE ended_at IS NULL;
CREATE INDEX agent_runs_by_end ON agent_runs (ended_at) WHERE ended_at IS NOT NULL;
CREATE UNIQUE INDEX agent_runs_by_request ON agent_runs (request_key) WHERE request_key IS NOT NULL;
CREATE INDEX agent_runs_in_conversation ON agent_runs (conversation) WHERE conversation IS NOT NULL;
CREATE INDEX agent_runs_waiting_parts ON agent_runs (parent_id) WHERE status = 'suspended';
-- the parts of a record that is erased
CREATE INDEX agent_runs_by_parent ON agent_runs (parent_id) WHERE parent_id IS NOT NULL;

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
  IF NEW.ended_at IS NOT NULL THEN
    DELETE FROM agent_approvals WHERE run = NEW.number AND decided_at IS NULL;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER agent_runs_end AFTER UPDATE OF status ON agent_runs FOR EACH ROW
  WHEN (OLD.continuation IS NOT NULL AND NEW.status <> 'running') EXECUTE FUNCTION end_agent_run();

CREATE FUNCTION leave_conversation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.conversation := NULL;
  NEW.running_messages := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER agent_runs_leave BEFORE UPDATE OF ended_at ON agent_runs FOR EACH ROW
  WHEN (NEW.ended_at IS NOT NULL AND NEW.conversation IS NOT NULL) EXECUTE FUNCTION leave_conversation();

-- runs that wait end with the execution or the run that they are a part of, however that ends
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

-- runs that end with what they are a part of are counted like others. Each connection has a row of its own
CREATE FUNCTION count_ended_part() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO hours (hour, owner_epoch, answers) VALUES (NEW.ended_at / ${HOUR_MS}, -pg_backend_pid(), 1)
    ON CONFLICT (hour, owner_epoch) DO UPDATE SET answers = hours.answers + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER agent_runs_count_parts AFTER UPDATE OF ended_at ON agent_runs FOR EACH ROW
  WHEN (OLD.status = 'suspended' AND NEW.status = 'aborted' AND NEW.requester IS NOT NULL)
  EXECUTE FUNCTION count_ended_part();

-- an answer ends with its execution; JSON has an escape for NUL that text can't have, which gets ours
CREATE FUNCTION end_answer() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE agent_runs SET ended_at = NEW.ended_at, expires_at = NULL,
      status = CASE NEW.status WHEN 'error' THEN 'error' ELSE 'aborted' END,
      error = CASE NEW.status WHEN 'error' THEN replace(NEW.error, '\\u0000', '\\u001a0')::json ->> 'message' END
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

-- and is deleted with it
CREATE FUNCTION delete_answer() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE gone bigint;
BEGIN
  DELETE FROM executions WHERE id = OLD.id AND kind = 'answer' RETURNING number INTO gone;
  IF gone IS NOT NULL THEN
    DELETE FROM journal WHERE execution = gone;
    DELETE FROM payloads WHERE execution = gone;
    DELETE FROM waits WHERE execution_id = OLD.id;
    DELETE FROM event_takes WHERE execution_id = OLD.id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER agent_runs_delete_answer AFTER DELETE ON agent_runs FOR EACH ROW EXECUTE FUNCTION delete_answer();

-- SUMS_KEPT AND USAGE

-- counts per hour since the epoch. Each machine changes rows of its own, so that none waits for another; those of past
-- hours are merged under owner epoch 0. So it is in step_days and model_hours
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
  cost_nano bigint DEFAULT 0,
  PRIMARY KEY (hour, owner_epoch)
);

-- what the agent runs of the steps of an execution have used, those of sub-agents included
CREATE TABLE execution_usage (
  -- executions.number
  execution bigint PRIMARY KEY,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  total_tokens bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  reasoning_tokens bigint NOT NULL,
  cost_nano bigint
);
CREATE FUNCTION add_execution_usage() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE used json := NEW.usage::json;
BEGIN
  INSERT INTO execution_usage AS known
    SELECT number, coalesce((used ->> 'inputTokens')::bigint, 0), coalesce((used ->> 'outputTokens')::bigint, 0),
      coalesce((used ->> 'totalTokens')::bigint, 0), coalesce((used ->> 'cachedInputTokens')::bigint, 0),
      coalesce((used ->> 'reasoningTokens')::bigint, 0), round((used ->> 'costUsd')::numeric * 1e9)::bigint
    FROM executions WHERE id = NEW.parent_id
    ON CONFLICT (execution) DO UPDATE SET
      input_tokens = known.input_tokens + excluded.input_tokens,
      output_tokens = known.output_tokens + excluded.output_tokens,
      total_tokens = known.total_tokens + excluded.total_tokens,
      cached_input_tokens = known.cached_input_tokens + excluded.cached_input_tokens,
      reasoning_tokens = known.reasoning_tokens + excluded.reasoning_tokens,
      cost_nano = known.cost_nano + excluded.cost_nano;
  RETURN NULL;
END $$;
CREATE TRIGGER agent_runs_usage AFTER UPDATE OF ended_at ON agent_runs FOR EACH ROW
  WHEN (NEW.requester = 'step' AND OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL AND NEW.usage IS NOT NULL)
  EXECUTE FUNCTION add_execution_usage();

-- per day since the epoch: how many runs of a step have ended, by their duration
CREATE TABLE step_days (
  day int NOT NULL,
  owner_epoch bigint NOT NULL,
  workflow_id text COLLATE "C" NOT NULL,
  -- the path with [] for rounds
  step text COLLATE "C" NOT NULL,
  -- of the duration; -1: not timed
  bucket int NOT NULL,
  completed bigint NOT NULL,
  errors bigint NOT NULL,
  PRIMARY KEY (day, workflow_id, step, bucket, owner_epoch)
);

-- per hour since the epoch: model calls, counted when their run ends or waits
CREATE TABLE model_hours (
  hour int NOT NULL,
  owner_epoch bigint NOT NULL,
  -- empty for runs of callers
  workflow_id text COLLATE "C" NOT NULL,
  step text COLLATE "C" NOT NULL,
  agent_id text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  calls bigint NOT NULL,
  -- calls whose cost is unknown
  unpriced bigint NOT NULL,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  -- the cost of the others
  cost_nano bigint NOT NULL,
  PRIMARY KEY (hour, workflow_id, step, agent_id, model, owner_epoch)
);

-- the model calls of each execution
CREATE TABLE step_models (
  -- executions.number
  execution bigint NOT NULL,
  step text COLLATE "C" NOT NULL,
  agent_id text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  calls bigint NOT NULL,
  unpriced bigint NOT NULL,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  cost_nano bigint NOT NULL,
  PRIMARY KEY (execution, step, agent_id, model)
);

-- BUDGETS: what model calls have used of them

CREATE TABLE budget_hours (
  -- config, agent <id> or workflow <id>
  declared_on text COLLATE "C" NOT NULL,
  -- run, user, agent or project
  per text COLLATE "C" NOT NULL,
  -- whose use it is: the id of the run, the user or the agent; empty for none
  subject text COLLATE "C" NOT NULL,
  -- hours since the epoch
  hour int NOT NULL,
  -- the call whose reservation it is; empty for what calls have used
  call text COLLATE "C" NOT NULL,
  cost_nano bigint NOT NULL,
  tokens bigint NOT NULL,
  -- the hour from which it does not count any more; null: that of a run, which is deleted with its record
  until int,
  PRIMARY KEY (declared_on, per, subject, hour, call)
);
CREATE INDEX budget_calls ON budget_hours (call) WHERE call <> '';
CREATE INDEX budget_hours_by_end ON budget_hours (until);
CREATE INDEX budget_hours_by_subject ON budget_hours (subject);

CREATE FUNCTION delete_budgets_of_runs() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM budget_hours WHERE per = 'run' AND subject IN (SELECT id FROM deleted);
  RETURN NULL;
END $$;
CREATE TRIGGER executions_delete_budgets AFTER DELETE ON executions REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION delete_budgets_of_runs();
CREATE TRIGGER agent_runs_delete_budgets AFTER DELETE ON agent_runs REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION delete_budgets_of_runs();

-- limits: a JSON array. Returns what was used of those that refuse the call; otherwise the call is reserved
CREATE FUNCTION reserve_budget(call_key text, at_hour int, call_cost bigint, call_tokens bigint, limits jsonb)
RETURNS TABLE (index int, hour int, cost_nano bigint, tokens bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  refusing int[];
BEGIN
  -- one call at a time checks a counter; in the same order everywhere, so that none waits for the other
  PERFORM pg_advisory_xact_lock(l.key) FROM (
    SELECT DISTINCT hashtextextended(jsonb_build_array(current_schema(), g."declaredOn", g.per, g.subject)::text, 0) AS key
    FROM jsonb_to_recordset(limits) AS g("declaredOn" text, per text, subject text) ORDER BY 1) l;
  SELECT array_agg(g.index) INTO refusing
  FROM jsonb_to_recordset(limits) AS g(index int, "declaredOn" text, per text, subject text, "fromHour" int, "costNano" bigint, tokens bigint),
    LATERAL (SELECT coalesce(sum(b.cost_nano), 0) AS cost_nano, coalesce(sum(b.tokens), 0) AS tokens FROM budget_hours b
      WHERE b.declared_on = g."declaredOn" AND b.per = g.per AND b.subject = g.subject AND b.hour >= g."fromHour" AND b.call <> call_key) u
  WHERE u.cost_nano + call_cost > g."costNano" OR u.tokens + call_tokens > g.tokens;
  IF refusing IS NULL THEN
    DELETE FROM budget_hours b WHERE b.call = call_key AND b.call <> '';
    INSERT INTO budget_hours (declared_on, per, subject, hour, call, cost_nano, tokens, until)
    SELECT g."declaredOn", g.per, g.subject, at_hour, call_key, call_cost, call_tokens, max(g."untilHour")
    FROM jsonb_to_recordset(limits) AS g("declaredOn" text, per text, subject text, "untilHour" int)
    GROUP BY 1, 2, 3;
    RETURN;
  END IF;
  RETURN QUERY SELECT g.index, b.hour, sum(b.cost_nano)::bigint, sum(b.tokens)::bigint
  FROM jsonb_to_recordset(limits) AS g(index int, "declaredOn" text, per text, subject text, "fromHour" int)
  LEFT JOIN budget_hours b ON b.declared_on = g."declaredOn" AND b.per = g.per AND b.subject = g.subject
    AND b.hour >= g."fromHour" AND b.call <> call_key
  WHERE g.index = ANY (refusing) GROUP BY g.index, b.hour ORDER BY g.index, b.hour;
END $$;

-- EVALS

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
  cost_nano bigint DEFAULT 0,
  -- JSON
  error text
);
CREATE INDEX eval_runs_by_eval ON eval_runs (eval_id, number);
CREATE INDEX eval_runs_ended ON eval_runs (ended_at) WHERE ended_at IS NOT NULL;
CREATE UNIQUE INDEX eval_runs_running ON eval_runs (eval_id) WHERE ended_at IS NULL;

-- the cases that have ended
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

-- LOGS

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

-- TRACES

-- distinct names and entities of traces: there are few, so filters by name search here
CREATE TABLE trace_titles (
  -- a hash of the other columns
  id uuid PRIMARY KEY,
  name text NOT NULL,
  -- empty without an entity
  entity_type text NOT NULL,
  entity_id text COLLATE "C" NOT NULL,
  entity_name text NOT NULL
);
CREATE INDEX trace_titles_by_entity ON trace_titles (entity_type, entity_id);

CREATE TABLE traces (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  trace_id text COLLATE "C" NOT NULL UNIQUE,
  title uuid NOT NULL REFERENCES trace_titles,
  has_entity boolean NOT NULL,
  -- the first execution; further ids are in trace_subjects
  execution_id text COLLATE "C",
  kind text NOT NULL,
  -- null, which is shown as ok: no span here determines it
  status text,
  -- owner epochs of the processes in which it runs
  open_on bigint[] NOT NULL DEFAULT '{}',
  -- ok or error: how it ended in a process while it runs in others
  outcome text,
  started_at bigint NOT NULL,
  ended_at double precision NOT NULL,
  -- the partition of its spans: days since the epoch
  day integer NOT NULL,
  span_count bigint NOT NULL,
  input_tokens bigint,
  output_tokens bigint,
  cost_nano bigint
) WITH (fillfactor = 90);
CREATE INDEX traces_newest ON traces (started_at, number);
CREATE INDEX traces_by_title ON traces (title, started_at, number);
CREATE INDEX traces_by_execution ON traces (execution_id, started_at, number) WHERE execution_id IS NOT NULL;
-- partial, as most traces are ok
CREATE INDEX traces_by_status ON traces (status, started_at, number) WHERE status <> 'ok';
CREATE INDEX traces_by_day ON traces (day);

CREATE TABLE trace_subjects (
  trace bigint NOT NULL,
  -- 0 workflow, 1 execution, 2 agent, 3 conversation, 4 user
  subject smallint NOT NULL,
  id text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL,
  PRIMARY KEY (trace, subject, id)
);
CREATE INDEX traces_by_subject ON trace_subjects (subject, id, started_at, trace);

CREATE SEQUENCE span_chunk_numbers;
CREATE TABLE span_chunks (
  -- traces.number
  trace bigint NOT NULL,
  -- the day of the trace
  day integer NOT NULL,
  number bigint NOT NULL DEFAULT nextval('span_chunk_numbers'),
  owner_epoch bigint NOT NULL,
  -- number of spans that are written for the first time
  added integer NOT NULL,
  -- start of the first and the last span, in milliseconds since the epoch
  first_at bigint NOT NULL,
  last_at bigint NOT NULL,
  -- JSON array of spans; of two with the same id the one in the later chunk is valid
  spans text NOT NULL,
  PRIMARY KEY (trace, first_at, number, day)
) PARTITION BY RANGE (day);
CREATE INDEX span_chunks_by_time ON span_chunks (first_at, last_at);
CREATE INDEX span_chunks_by_owner ON span_chunks (owner_epoch, number);

-- the partitions, by days since the epoch, with what they have: counting it takes too long
CREATE TABLE trace_days (day integer PRIMARY KEY, traces bigint NOT NULL DEFAULT 0, spans bigint NOT NULL DEFAULT 0);

-- SEARCH: the full-text index of executions and agent runs, and how far it is up to date

CREATE TABLE search_documents (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- 0: executions, 1: agent_runs
  kind smallint NOT NULL,
  -- number of the record; no reference: a document would lock the record, which its run changes
  record bigint NOT NULL,
  -- of the record
  created_at bigint NOT NULL,
  words tsvector NOT NULL,
  UNIQUE (kind, record)
);
CREATE INDEX search_documents_by_words ON search_documents USING gin (words);
CREATE INDEX search_documents_by_time ON search_documents (created_at, number);
CREATE TABLE search_progress (
  singleton int PRIMARY KEY CHECK (singleton = 1),
  -- executions are indexed up to this milestone
  milestone bigint NOT NULL
);
INSERT INTO search_progress VALUES (1, 0);

-- changes of agent runs that are not indexed yet
CREATE TABLE search_changes (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run bigint NOT NULL);
CREATE FUNCTION note_changed_run() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO search_changes (run) VALUES (NEW.number);
  RETURN NULL;
END $$;
CREATE TRIGGER search_new_run AFTER INSERT ON agent_runs FOR EACH ROW EXECUTE FUNCTION note_changed_run();
CREATE TRIGGER search_changed_run AFTER UPDATE OF status ON agent_runs FOR EACH ROW EXECUTE FUNCTION note_changed_run();

CREATE FUNCTION delete_search_documents() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM search_documents WHERE kind = TG_ARGV[0]::smallint AND record IN (SELECT number FROM deleted);
  RETURN NULL;
END $$;
CREATE TRIGGER search_deleted_executions AFTER DELETE ON executions REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION delete_search_documents(0);
CREATE TRIGGER search_deleted_runs AFTER DELETE ON agent_runs REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION delete_search_documents(1);

-- WRITES OF EXECUTIONS
${WRITE_EXECUTIONS}`
