import { HOUR_MS } from '../../lib/clock.ts'
import { CHANGED_CODE_WAITS, NEEDS_INPUT } from '../rows/executions/execution-columns.ts'

/**
 * Version 1 of the schema, which creates all tables. It is that of release 0.1.0 and
 * never changes after it, except for its comments: a change is a migration in migrations.ts. SQLite keeps the comments
 * within a statement, so they describe the current contents.
 *
 * Times are milliseconds since the epoch. A cost is in nano-dollars; null when it is unknown, and so is every sum with it.
 */
export const SQLITE_SCHEMA = `
  -- PROCESSES AND THEIR WORK

  CREATE TABLE owner (
    singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
    epoch INTEGER NOT NULL,
    -- the highest milestone of a deleted execution: no number is used twice
    pruned_milestone INTEGER NOT NULL DEFAULT 0
  );
  INSERT INTO owner (singleton, epoch) VALUES (1, 0);

  -- processes that have owned the database, until nothing of them is left
  CREATE TABLE lives (
    owner_epoch INTEGER PRIMARY KEY,
    -- whether it lived for a minute
    settled INTEGER NOT NULL DEFAULT 0,
    -- stopped or crashed; null when it did not record its end
    how TEXT,
    -- what that says about what was in flight: none, alone, untried, all; null until the next process has decided
    crash TEXT
  ) STRICT;

  -- work that has to be done even if the process that asked for it ends
  CREATE TABLE jobs (
    number INTEGER PRIMARY KEY,
    -- a job replaces the one with its key
    key TEXT NOT NULL UNIQUE,
    -- JSON
    job TEXT NOT NULL,
    -- when it is due
    at INTEGER NOT NULL,
    -- how often it was tried
    attempts INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX jobs_by_time ON jobs (at, number);

  -- EXECUTIONS

  CREATE TABLE executions (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    workflow_id TEXT NOT NULL,
    workflow_name TEXT NOT NULL,
    status TEXT NOT NULL,
    owner_epoch INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER,
    user_id TEXT,
    conversation_id TEXT,
    parent_id TEXT,
    definition_hash TEXT NOT NULL,
    trace_id TEXT NOT NULL,
    span_id TEXT NOT NULL,
    output TEXT,
    error TEXT,
    suspension TEXT,
    suspend_request TEXT,
    forked_from TEXT,
    -- the key of the authenticated user who started it; null without one
    owner TEXT,
    -- JSON of the authenticated user who last resumed it
    resumed_user TEXT,
    -- the steps before which it suspends, a JSON array
    pause_at TEXT,
    -- what it is found by, JSON
    metadata TEXT,
    -- JSON of why its steps are compensated, or of how that has ended
    compensation TEXT,
    -- JSON of who has accepted that it runs on with code which its record does not fit
    accepted_changes TEXT,
    -- when it ends with an error; null: never
    times_out_at INTEGER,
    -- workflow, or answer of an agent
    kind TEXT NOT NULL DEFAULT 'workflow',
    -- the group of the failure that it ended with, or that it replays
    failure TEXT,
    -- the schedule that started it
    schedule_id TEXT,
    -- the execution that is replayed
    origin_id TEXT AS (CASE WHEN json_valid(forked_from) THEN forked_from ->> '$.executionId' END)
  ) STRICT;
  CREATE INDEX executions_newest ON executions (created_at);
  CREATE INDEX executions_by_workflow ON executions (workflow_id, created_at);
  CREATE INDEX executions_by_user ON executions (user_id, created_at) WHERE user_id IS NOT NULL;
  CREATE INDEX executions_by_conversation ON executions (conversation_id, created_at)
    WHERE conversation_id IS NOT NULL;
  CREATE INDEX executions_by_parent ON executions (parent_id) WHERE parent_id IS NOT NULL;
  CREATE INDEX executions_by_end ON executions (ended_at) WHERE ended_at IS NOT NULL;
  -- two partial indexes: the one of open executions, which changes with every status, stays small
  CREATE INDEX executions_open ON executions (status, created_at) WHERE ended_at IS NULL;
  CREATE INDEX executions_ended ON executions (status, created_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX executions_ended_by_workflow ON executions (workflow_id, status, created_at)
    WHERE ended_at IS NOT NULL;
  CREATE INDEX executions_by_origin ON executions (origin_id) WHERE forked_from IS NOT NULL;
  -- failed ones, without children of other executions
  CREATE INDEX executions_failed ON executions (ended_at) WHERE status = 'error' AND parent_id IS NULL;
  -- failures by their group: the one index counts the newest of all groups, the other lists one
  CREATE INDEX executions_failures ON executions (ended_at, failure, status, workflow_id) WHERE failure IS NOT NULL;
  CREATE INDEX executions_of_failure ON executions (failure, created_at) WHERE failure IS NOT NULL;
  CREATE INDEX executions_of_schedule ON executions (schedule_id, created_at) WHERE schedule_id IS NOT NULL;
  -- suspended ones that wait for input
  CREATE INDEX executions_waiting ON executions (created_at) WHERE ${NEEDS_INPUT};
  -- suspended ones whose record does not fit the code
  CREATE INDEX executions_changed_code ON executions (created_at) WHERE ${CHANGED_CODE_WAITS};

  -- separate from executions, whose rows are rewritten at every step boundary
  CREATE TABLE payloads (
    -- executions.number
    execution INTEGER PRIMARY KEY,
    input TEXT NOT NULL,
    context TEXT NOT NULL,
    user TEXT
  ) STRICT;

  -- a row for each commit, in their order: a commit of many executions writes one or two pages at the end of the table
  CREATE TABLE journal (
    number INTEGER PRIMARY KEY,
    -- executions.number
    execution INTEGER NOT NULL,
    -- sequence number of the last event
    seq INTEGER NOT NULL,
    -- changed step rows, a JSON array
    steps TEXT NOT NULL,
    -- events as streams send them, a JSON array; a large value that the execution or a step has is left out, as its first
    -- element says
    events TEXT NOT NULL,
    -- numbers the commits with workflow-level events, over all executions, without gaps
    milestone INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX journal_of_execution ON journal (execution, seq);
  CREATE INDEX journal_of_workflow ON journal (execution, seq) WHERE milestone IS NOT NULL;
  CREATE UNIQUE INDEX journal_by_milestone ON journal (milestone) WHERE milestone IS NOT NULL;
  -- the commits with workflow-level events
  CREATE VIEW milestones AS SELECT milestone AS number, execution, seq FROM journal WHERE milestone IS NOT NULL;

  -- EVENTS

  -- events that were sent to executions
  CREATE TABLE events (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    -- null: it has none
    key TEXT,
    -- JSON
    data TEXT NOT NULL,
    at INTEGER NOT NULL,
    -- JSON of whom the access rules apply to
    sender TEXT,
    -- why it did not start workflows, a JSON array; null for none
    misfits TEXT
  ) STRICT;
  CREATE INDEX events_by_topic ON events (name, key, number);
  CREATE INDEX events_by_time ON events (at);

  -- the executions that took an event
  CREATE TABLE event_takes (
    number INTEGER PRIMARY KEY,
    event_id TEXT NOT NULL,
    execution_id TEXT NOT NULL,
    UNIQUE (event_id, execution_id)
  ) STRICT;
  CREATE TRIGGER events_pruned AFTER DELETE ON events BEGIN
    DELETE FROM event_takes WHERE event_id = old.id;
  END;

  -- steps that wait for events
  CREATE TABLE waits (
    number INTEGER PRIMARY KEY,
    execution_id TEXT NOT NULL,
    -- of the step
    path TEXT NOT NULL,
    name TEXT NOT NULL,
    key TEXT,
    -- when it began to wait
    since INTEGER NOT NULL,
    UNIQUE (execution_id, path)
  ) STRICT;
  CREATE INDEX waits_by_topic ON waits (name, key);

  -- SCHEDULES

  CREATE TABLE schedules (
    id TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    -- names the instants that next_at is one of
    rule TEXT NOT NULL,
    paused INTEGER NOT NULL,
    -- the instant that has a job
    next_at INTEGER,
    -- instants whose executions start one after the other, a JSON array
    waiting TEXT NOT NULL,
    -- the newest instant whose execution was started
    tick_at INTEGER,
    -- the execution that was started last
    last_execution_id TEXT,
    last_at INTEGER
  ) STRICT;

  -- THE QUEUE: executions of workflows with limits

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

  -- ANSWERS OF AGENTS

  CREATE TABLE agent_runs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    agent_id TEXT NOT NULL,
    status TEXT NOT NULL,
    owner_epoch INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    user_id TEXT,
    conversation_id TEXT,
    trace_id TEXT NOT NULL,
    input TEXT NOT NULL,
    output TEXT,
    error TEXT,
    model TEXT NOT NULL,
    usage TEXT,
    steps TEXT,
    -- what requested it: step or agent; null for a caller
    requester TEXT,
    -- JSON: what another process needs to continue the run; null for a run that ends with its process
    continuation TEXT,
    -- the execution or the run that it is a part of; null for a caller
    parent_id TEXT,
    -- by which what requested it finds it again
    request_key TEXT,
    -- when a suspended run ends without an answer
    expires_at INTEGER,
    -- why a guardrail blocked the input or the answer; null when none did
    blocked_reason TEXT,
    -- conversations.number, until the run ends; null when it extends none
    conversation INTEGER,
    -- JSON: the messages that it adds to the conversation
    running_messages TEXT,
    -- what the run was requested with besides its input, JSON
    options TEXT
  ) STRICT;
  CREATE INDEX agent_runs_by_agent ON agent_runs (agent_id, started_at);
  CREATE INDEX agent_runs_by_status ON agent_runs (agent_id, status, started_at);
  CREATE INDEX agent_runs_by_user ON agent_runs (user_id, started_at) WHERE user_id IS NOT NULL;
  CREATE INDEX agent_runs_by_conversation ON agent_runs (conversation_id, started_at)
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

  -- CONVERSATIONS AND MEMORY

  CREATE TABLE conversations (
    number INTEGER PRIMARY KEY,
    -- JSON of the user id; null without a user
    user_key TEXT NOT NULL,
    id TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    -- the key of the authenticated user who started it; null without one
    owner TEXT,
    -- number of the last message; of messages up to forgotten, none is valid any more
    last_message INTEGER NOT NULL DEFAULT 0,
    forgotten INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL DEFAULT 0,
    title TEXT,
    -- ids of the agents that have answered in it, a JSON array
    agents TEXT NOT NULL DEFAULT '[]',
    -- text of the messages up to number summarised
    summary TEXT,
    summarised INTEGER NOT NULL DEFAULT 0,
    -- until when a process makes a summary
    claimed_until INTEGER,
    UNIQUE (user_key, id)
  ) STRICT;
  CREATE INDEX conversations_by_age ON conversations (updated_at);
  CREATE INDEX conversations_by_user ON conversations (user_key, updated_at);

  CREATE TABLE messages (
    -- conversations.number
    conversation INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    message TEXT NOT NULL,
    -- whether a message of the API starts with it: an answer with its tool calls is one
    starts INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (conversation, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX messages_that_start ON messages (conversation, seq) WHERE starts = true;

  CREATE TABLE working_memory (
    number INTEGER PRIMARY KEY,
    agent_id TEXT NOT NULL,
    -- JSON of the user id; null without a user
    user_key TEXT NOT NULL,
    -- JSON object
    value TEXT NOT NULL,
    owner TEXT,
    -- counts the changes
    revision INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    UNIQUE (agent_id, user_key)
  ) STRICT;
  CREATE INDEX working_memory_by_age ON working_memory (used_at);

  -- SUMS_KEPT AND USAGE

  -- counts per hour since the epoch, maintained with each write: executions, agent runs and their tokens
  CREATE TABLE hours (
    hour INTEGER PRIMARY KEY,
    started INTEGER NOT NULL DEFAULT 0,
    completed INTEGER NOT NULL DEFAULT 0,
    errors INTEGER NOT NULL DEFAULT 0,
    cancelled INTEGER NOT NULL DEFAULT 0,
    answers INTEGER NOT NULL DEFAULT 0,
    input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    cost_nano INTEGER DEFAULT 0
  ) STRICT;

  -- what the agent runs of the steps of an execution have used, those of sub-agents included
  CREATE TABLE execution_usage (
    -- executions.number
    execution INTEGER PRIMARY KEY,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    total_tokens INTEGER NOT NULL,
    cached_input_tokens INTEGER NOT NULL,
    reasoning_tokens INTEGER NOT NULL,
    cost_nano INTEGER
  ) STRICT;

  -- per day since the epoch: how many runs of a step have ended, by their duration
  CREATE TABLE step_days (
    number INTEGER PRIMARY KEY,
    day INTEGER NOT NULL,
    workflow_id TEXT NOT NULL,
    -- the path with [] for rounds
    step TEXT NOT NULL,
    -- of the duration; -1: not timed
    bucket INTEGER NOT NULL,
    completed INTEGER NOT NULL,
    errors INTEGER NOT NULL,
    UNIQUE (day, workflow_id, step, bucket)
  ) STRICT;

  -- per hour since the epoch: model calls, counted when their run ends or waits
  CREATE TABLE model_hours (
    number INTEGER PRIMARY KEY,
    hour INTEGER NOT NULL,
    -- empty for runs of callers
    workflow_id TEXT NOT NULL,
    step TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    -- calls whose cost is unknown
    unpriced INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    -- the cost of the others
    cost_nano INTEGER NOT NULL,
    UNIQUE (hour, workflow_id, step, agent_id, model)
  ) STRICT;

  -- the model calls of each execution
  CREATE TABLE step_models (
    number INTEGER PRIMARY KEY,
    -- executions.number
    execution INTEGER NOT NULL,
    step TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    unpriced INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost_nano INTEGER NOT NULL,
    UNIQUE (execution, step, agent_id, model)
  ) STRICT;

  -- what model calls have used of budgets
  CREATE TABLE budget_hours (
    number INTEGER PRIMARY KEY,
    -- config, agent <id> or workflow <id>
    declared_on TEXT NOT NULL,
    -- run, user, agent or project
    per TEXT NOT NULL,
    -- whose use it is: the id of the run, the user or the agent; empty for none
    subject TEXT NOT NULL,
    -- hours since the epoch
    hour INTEGER NOT NULL,
    -- the call whose reservation it is; empty for what calls have used
    call TEXT NOT NULL,
    cost_nano INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    -- the hour from which it does not count any more; null: that of a run, which is deleted with its record
    until INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX budget_hours_of_subject ON budget_hours (declared_on, per, subject, hour, call);
  CREATE INDEX budget_calls ON budget_hours (call) WHERE call <> '';
  CREATE INDEX budget_hours_by_end ON budget_hours (until);
  CREATE INDEX budget_hours_by_subject ON budget_hours (subject);

  -- EVALS

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
    cost_nano INTEGER DEFAULT 0,
    -- JSON
    error TEXT
  ) STRICT;
  CREATE INDEX eval_runs_by_eval ON eval_runs (eval_id, number);
  CREATE INDEX eval_runs_ended ON eval_runs (ended_at) WHERE ended_at IS NOT NULL;
  CREATE UNIQUE INDEX eval_runs_running ON eval_runs (eval_id) WHERE ended_at IS NULL;

  -- the cases that have ended
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

  -- LOGS

  -- ids are the time in milliseconds times 1024, plus a counter: the order by id is the order by time
  CREATE TABLE logs (
    id INTEGER PRIMARY KEY,
    timestamp INTEGER NOT NULL,
    level INTEGER NOT NULL,
    message TEXT NOT NULL,
    attributes TEXT NOT NULL,
    trace_id TEXT,
    span_id TEXT,
    execution_id TEXT,
    workflow_id TEXT,
    agent_id TEXT
  ) STRICT;
  CREATE INDEX logs_by_trace ON logs (trace_id) WHERE trace_id IS NOT NULL;
  CREATE INDEX logs_by_span ON logs (span_id) WHERE span_id IS NOT NULL;
  CREATE INDEX logs_by_execution ON logs (execution_id) WHERE execution_id IS NOT NULL;
  CREATE INDEX logs_by_workflow ON logs (workflow_id) WHERE workflow_id IS NOT NULL;
  CREATE INDEX logs_by_agent ON logs (agent_id) WHERE agent_id IS NOT NULL;
  CREATE INDEX logs_of_warnings ON logs (id) WHERE level >= 40;
  CREATE INDEX logs_of_errors ON logs (id) WHERE level >= 50;

  -- TRACES

  -- distinct names and entities of traces: there are few, so filters by name search here
  CREATE TABLE trace_titles (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    -- empty without an entity
    entity_type TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    entity_name TEXT NOT NULL,
    UNIQUE (name, entity_type, entity_id, entity_name)
  ) STRICT;
  CREATE INDEX trace_titles_by_entity ON trace_titles (entity_type, entity_id);

  CREATE TABLE traces (
    number INTEGER PRIMARY KEY,
    trace_id TEXT NOT NULL UNIQUE,
    title INTEGER NOT NULL,
    -- the first execution; further ids are in trace_subjects
    execution_id TEXT,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at REAL NOT NULL,
    span_count INTEGER NOT NULL,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cost_nano INTEGER
  ) STRICT;
  CREATE INDEX traces_newest ON traces (started_at);
  CREATE INDEX traces_by_title ON traces (title, started_at);
  CREATE INDEX traces_by_execution ON traces (execution_id, started_at) WHERE execution_id IS NOT NULL;
  -- partial, as most traces are ok
  CREATE INDEX traces_by_status ON traces (status, started_at) WHERE status <> 'ok';

  CREATE TABLE trace_subjects (
    trace INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    id TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    PRIMARY KEY (trace, subject, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX traces_by_subject ON trace_subjects (subject, id, started_at, trace);

  CREATE TABLE span_chunks (
    -- traces.number * 1048576 + index of the chunk in its trace
    number INTEGER PRIMARY KEY,
    owner_epoch INTEGER NOT NULL,
    -- number of spans that are written for the first time
    added INTEGER NOT NULL,
    -- start of the first and the last span, in milliseconds since the epoch
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    -- JSON array of spans; of two with the same id the one in the later chunk is valid
    spans TEXT NOT NULL
  ) STRICT;
  CREATE INDEX span_chunks_by_time ON span_chunks (first_at, last_at);

  -- maintained with each write, as counting millions of rows takes too long
  CREATE TABLE trace_totals (singleton INTEGER PRIMARY KEY CHECK (singleton = 1), traces INTEGER NOT NULL, spans INTEGER NOT NULL) STRICT;
  INSERT INTO trace_totals VALUES (1, 0, 0);

  -- SEARCH: the full-text index of executions and agent runs, and how far it is up to date

  -- words without their texts; the row id is search_documents.number
  CREATE VIRTUAL TABLE search_text USING fts5(
    words, facets, content = '', contentless_delete = 1, tokenize = 'unicode61', prefix = '2 3'
  );
  CREATE TABLE search_documents (
    -- time in milliseconds times 1024, plus a counter: the order by number is the order by time
    number INTEGER PRIMARY KEY,
    -- 0: executions, 1: agent_runs
    kind INTEGER NOT NULL,
    -- number of the record
    record INTEGER NOT NULL,
    UNIQUE (kind, record)
  ) STRICT;
  CREATE TRIGGER search_deleted_document AFTER DELETE ON search_documents BEGIN
    DELETE FROM search_text WHERE rowid = old.number;
  END;
  CREATE TABLE search_progress (
    singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
    -- executions are indexed up to this milestone
    milestone INTEGER NOT NULL
  ) STRICT;
  INSERT INTO search_progress VALUES (1, 0);
  -- changes of agent runs that are not indexed yet
  CREATE TABLE search_changes (number INTEGER PRIMARY KEY, run INTEGER NOT NULL) STRICT;

  -- WHEN AN ANSWER BEGINS, CHANGES OR ENDS

  CREATE TRIGGER search_new_run AFTER INSERT ON agent_runs BEGIN
    INSERT INTO search_changes (run) VALUES (new.number);
  END;
  CREATE TRIGGER agent_runs_usage AFTER UPDATE OF ended_at ON agent_runs
    WHEN new.requester = 'step' AND old.ended_at IS NULL AND new.ended_at IS NOT NULL AND new.usage IS NOT NULL
  BEGIN
    INSERT INTO execution_usage
      SELECT number, coalesce(new.usage ->> '$.inputTokens', 0), coalesce(new.usage ->> '$.outputTokens', 0),
        coalesce(new.usage ->> '$.totalTokens', 0), coalesce(new.usage ->> '$.cachedInputTokens', 0),
        coalesce(new.usage ->> '$.reasoningTokens', 0), CAST(round((new.usage ->> '$.costUsd') * 1e9) AS INTEGER)
      FROM executions WHERE id = new.parent_id
      ON CONFLICT (execution) DO UPDATE SET
        input_tokens = input_tokens + excluded.input_tokens,
        output_tokens = output_tokens + excluded.output_tokens,
        total_tokens = total_tokens + excluded.total_tokens,
        cached_input_tokens = cached_input_tokens + excluded.cached_input_tokens,
        reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
        cost_nano = cost_nano + excluded.cost_nano;
  END;
  CREATE TRIGGER agent_runs_leave AFTER UPDATE OF ended_at ON agent_runs
    WHEN new.ended_at IS NOT NULL AND new.conversation IS NOT NULL
  BEGIN
    UPDATE agent_runs SET conversation = NULL, running_messages = NULL WHERE number = new.number;
  END;
  CREATE TRIGGER search_changed_run AFTER UPDATE OF status ON agent_runs BEGIN
    INSERT INTO search_changes (run) VALUES (new.number);
  END;
  -- runs that wait end with the run that they are a part of, however that ends
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
  -- runs that end with what they are a part of are counted like others
  CREATE TRIGGER agent_runs_count_parts AFTER UPDATE OF ended_at ON agent_runs
    WHEN old.status = 'suspended' AND new.status = 'aborted' AND new.requester IS NOT NULL
  BEGIN
    INSERT INTO hours (hour, answers) VALUES (new.ended_at / ${HOUR_MS}, 1)
      ON CONFLICT (hour) DO UPDATE SET answers = answers + 1;
  END;
  CREATE TRIGGER agent_runs_end AFTER UPDATE OF status ON agent_runs
    WHEN old.continuation IS NOT NULL AND new.ended_at IS NOT NULL
  BEGIN
    DELETE FROM agent_approvals WHERE run = new.number AND decided_at IS NULL;
  END;

  -- WHEN AN EXECUTION ENDS

  -- runs that wait end with the execution that they are a part of, however that ends
  CREATE TRIGGER executions_end_parts AFTER UPDATE OF ended_at ON executions
    WHEN new.ended_at IS NOT NULL AND old.ended_at IS NULL
  BEGIN
    UPDATE agent_runs SET status = 'aborted', ended_at = new.ended_at, continuation = NULL, expires_at = NULL
      WHERE parent_id = new.id AND requester = 'step' AND status = 'suspended';
  END;
  -- an answer ends with its execution
  CREATE TRIGGER executions_end_answer AFTER UPDATE OF ended_at ON executions
    WHEN new.kind = 'answer' AND new.status <> 'completed' AND new.ended_at IS NOT NULL AND old.ended_at IS NULL
  BEGIN
    INSERT INTO hours (hour, answers)
      SELECT new.ended_at / ${HOUR_MS}, 1 FROM agent_runs WHERE id = new.id AND ended_at IS NULL
      ON CONFLICT (hour) DO UPDATE SET answers = answers + 1;
    UPDATE agent_runs SET ended_at = new.ended_at, expires_at = NULL,
        status = CASE new.status WHEN 'error' THEN 'error' ELSE 'aborted' END,
        error = CASE new.status WHEN 'error' THEN new.error ->> 'message' END
      WHERE id = new.id AND ended_at IS NULL;
  END;

  -- WHEN A RECORD IS DELETED: its number is used again

  CREATE TRIGGER conversations_delete AFTER DELETE ON conversations BEGIN
    DELETE FROM messages WHERE conversation = old.number;
    UPDATE agent_runs SET conversation = NULL, running_messages = NULL WHERE conversation = old.number;
  END;
  CREATE TRIGGER search_deleted_execution AFTER DELETE ON executions BEGIN
    DELETE FROM search_documents WHERE kind = 0 AND record = old.number;
  END;
  CREATE TRIGGER executions_delete_answer AFTER DELETE ON executions WHEN old.kind = 'answer' BEGIN
    DELETE FROM journal WHERE execution = old.number;
    DELETE FROM payloads WHERE execution = old.number;
    DELETE FROM waits WHERE execution_id = old.id;
    DELETE FROM event_takes WHERE execution_id = old.id;
  END;
  CREATE TRIGGER executions_delete_budgets AFTER DELETE ON executions BEGIN
    DELETE FROM budget_hours WHERE per = 'run' AND subject = old.id;
  END;
  CREATE TRIGGER search_deleted_run AFTER DELETE ON agent_runs BEGIN
    DELETE FROM search_documents WHERE kind = 1 AND record = old.number;
  END;
  CREATE TRIGGER agent_runs_delete_answer AFTER DELETE ON agent_runs BEGIN
    DELETE FROM executions WHERE id = old.id AND kind = 'answer';
  END;
  CREATE TRIGGER agent_runs_delete_budgets AFTER DELETE ON agent_runs BEGIN
    DELETE FROM budget_hours WHERE per = 'run' AND subject = old.id;
  END;
  CREATE TRIGGER agent_runs_delete AFTER DELETE ON agent_runs BEGIN
    DELETE FROM agent_parts WHERE run = old.number;
    DELETE FROM agent_approvals WHERE run = old.number;
  END;
`
