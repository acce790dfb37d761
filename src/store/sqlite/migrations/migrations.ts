import { SQLITE_BUDGET_TABLES } from '../budgets/tables.ts'
import { OPEN_EXCHANGES } from './open-exchanges.ts'
import { SQLITE_QUEUE_TABLES } from '../queue/tables.ts'
import { CHANGED_CODE_WAITS, NEEDS_INPUT } from '../../rows/executions/execution-columns.ts'
import type { Database } from '../driver.ts'
import {
  AGENT_RUN_TABLES,
  SQLITE_RUNS_OF_EXECUTIONS,
  COUNTED_PARTS,
  RUN_DELETION,
  WAITING_PARTS,
} from './agent-run-tables.ts'
import { EVENTS_AND_WAITS, EVENT_TAKERS } from './event-tables.ts'
import { SQLITE_EVAL_TABLES } from '../evals/tables.ts'
import { COST_TABLES } from './cost-tables.ts'
import { CONVERSATION_UPGRADE } from './conversation-upgrade.ts'
import { SQLITE_SEARCH_TABLES } from '../search/tables.ts'
import { SQLITE_SCHEDULE_TABLES } from './schedule-tables.ts'
import { spansToJson } from './spans-to-json.ts'
import { TRACE_TABLES } from './trace-tables.ts'
import { SQLITE_STATISTICS_TABLES } from './statistics-tables.ts'

/** SQL, or a function for a migration that SQL can't express. */
type Migration = string | ((database: Database) => void)

/**
 * Migrations by position: entry 0 results in schema version 1. A released migration never changes, except for its
 * comments; append another one. SQLite keeps the comments in the schema, so they describe the current contents.
 */
export const MIGRATIONS: readonly Migration[] = [
  `
  CREATE TABLE owner (singleton INTEGER PRIMARY KEY CHECK (singleton = 1), epoch INTEGER NOT NULL);
  INSERT INTO owner VALUES (1, 0);

  CREATE TABLE executions (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    workflow_id TEXT NOT NULL,
    workflow_name TEXT NOT NULL,
    status TEXT NOT NULL,
    epoch INTEGER NOT NULL,
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
    forked_from TEXT
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

  -- separate from executions, whose rows are rewritten at every step boundary
  CREATE TABLE payloads (
    execution_id TEXT PRIMARY KEY,
    input TEXT NOT NULL,
    context TEXT NOT NULL,
    user TEXT
  ) STRICT, WITHOUT ROWID;

  -- a row for each commit
  CREATE TABLE journal (
    execution_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    workflow_level INTEGER NOT NULL,
    steps TEXT NOT NULL,
    events TEXT NOT NULL,
    PRIMARY KEY (execution_id, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX journal_of_workflow ON journal (execution_id, seq) WHERE workflow_level = 1;
  `,
  `
  CREATE TABLE agent_runs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    agent_id TEXT NOT NULL,
    status TEXT NOT NULL,
    epoch INTEGER NOT NULL,
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
    steps TEXT
  ) STRICT;
  CREATE INDEX agent_runs_by_agent ON agent_runs (agent_id, started_at);
  CREATE INDEX agent_runs_by_status ON agent_runs (agent_id, status, started_at);
  CREATE INDEX agent_runs_by_user ON agent_runs (user_id, started_at) WHERE user_id IS NOT NULL;
  CREATE INDEX agent_runs_by_conversation ON agent_runs (conversation_id, started_at)
    WHERE conversation_id IS NOT NULL;
  CREATE INDEX agent_runs_open ON agent_runs (epoch) WHERE ended_at IS NULL;
  CREATE INDEX agent_runs_by_end ON agent_runs (ended_at) WHERE ended_at IS NOT NULL;

  CREATE TABLE conversations (
    number INTEGER PRIMARY KEY,
    -- JSON of the user id; null without a user
    user TEXT NOT NULL,
    id TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (user, id)
  ) STRICT;
  CREATE INDEX conversations_by_age ON conversations (updated_at);

  CREATE TABLE messages (
    conversation INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (conversation, seq)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- numbers the commits with workflow-level events, over all executions, without gaps
  ALTER TABLE journal ADD COLUMN milestone INTEGER;
  UPDATE journal SET milestone = numbered.milestone FROM (
    SELECT j.execution_id AS id, j.seq AS seq, row_number() OVER (ORDER BY e.number, j.seq) AS milestone
    FROM journal j JOIN executions e ON e.id = j.execution_id WHERE j.workflow_level = 1
  ) AS numbered WHERE execution_id = numbered.id AND journal.seq = numbered.seq;
  CREATE UNIQUE INDEX journal_by_milestone ON journal (milestone) WHERE milestone IS NOT NULL;
  -- the highest milestone of a deleted execution: no number is used twice
  ALTER TABLE owner ADD COLUMN pruned_milestone INTEGER NOT NULL DEFAULT 0;
  `,
  `
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
  `,
  `
  CREATE INDEX executions_by_origin ON executions (
    CASE WHEN json_valid(forked_from) THEN json_extract(forked_from, '$.executionId') END
  ) WHERE forked_from IS NOT NULL;
  `,
  TRACE_TABLES,
  `
  -- counts per hour since the epoch, maintained with each write: executions, agent runs and their tokens
  CREATE TABLE hours (
    hour INTEGER PRIMARY KEY,
    started INTEGER NOT NULL DEFAULT 0,
    completed INTEGER NOT NULL DEFAULT 0,
    errors INTEGER NOT NULL DEFAULT 0,
    cancelled INTEGER NOT NULL DEFAULT 0,
    answers INTEGER NOT NULL DEFAULT 0,
    input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  INSERT INTO hours (hour, started) SELECT created_at / 3600000, count(*) FROM executions GROUP BY 1;
  INSERT INTO hours (hour, completed, errors, cancelled)
    SELECT ended_at / 3600000, sum(status = 'completed'), sum(status = 'error'), sum(status = 'cancelled')
    FROM executions WHERE ended_at IS NOT NULL GROUP BY 1
    ON CONFLICT (hour) DO UPDATE SET completed = excluded.completed, errors = excluded.errors, cancelled = excluded.cancelled;
  INSERT INTO hours (hour, answers, input_tokens, output_tokens)
    SELECT ended_at / 3600000, count(*), sum(coalesce(usage ->> '$.inputTokens', 0)), sum(coalesce(usage ->> '$.outputTokens', 0))
    FROM agent_runs WHERE ended_at IS NOT NULL GROUP BY 1
    ON CONFLICT (hour) DO UPDATE SET answers = excluded.answers, input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens;

  -- executions that wait for input, and failed ones, without children of other executions
  CREATE INDEX executions_waiting ON executions (created_at) WHERE status = 'suspended' AND parent_id IS NULL;
  CREATE INDEX executions_failed ON executions (ended_at) WHERE status = 'error' AND parent_id IS NULL;
  `,
  `
  -- rows in the order of the commits: a commit of many executions writes one or two pages at the end of the table
  ALTER TABLE journal RENAME TO journal_by_id;
  CREATE TABLE journal (
    number INTEGER PRIMARY KEY,
    -- executions.number
    execution INTEGER NOT NULL,
    -- sequence number of the last event
    seq INTEGER NOT NULL,
    -- changed step rows, a JSON array
    steps TEXT NOT NULL,
    -- events as streams send them, a JSON array
    events TEXT NOT NULL,
    -- numbers the commits with workflow-level events
    milestone INTEGER
  ) STRICT;
  INSERT INTO journal (execution, seq, steps, events, milestone)
    SELECT e.number, j.seq, j.steps, j.events, j.milestone
    FROM executions e JOIN journal_by_id j ON j.execution_id = e.id ORDER BY e.number, j.seq;
  DROP TABLE journal_by_id;
  CREATE UNIQUE INDEX journal_of_execution ON journal (execution, seq);
  CREATE INDEX journal_of_workflow ON journal (execution, seq) WHERE milestone IS NOT NULL;
  CREATE UNIQUE INDEX journal_by_milestone ON journal (milestone) WHERE milestone IS NOT NULL;

  ALTER TABLE payloads RENAME TO payloads_by_id;
  CREATE TABLE payloads (
    execution INTEGER PRIMARY KEY,
    input TEXT NOT NULL,
    context TEXT NOT NULL,
    user TEXT
  ) STRICT;
  INSERT INTO payloads SELECT e.number, p.input, p.context, p.user
    FROM executions e JOIN payloads_by_id p ON p.execution_id = e.id ORDER BY e.number;
  DROP TABLE payloads_by_id;
  `,
  `
  -- from lines of JSON to JSON arrays with an element a line; the digit before an event said what its type says
  UPDATE journal SET
    steps = '[' || replace(replace(steps, char(10), ',' || char(10)), '"iteration":', '"resumes":') || ']',
    events = '[' || substr(
      replace(replace(events, char(10) || '0', ',' || char(10)), char(10) || '1', ',' || char(10)), 2) || ']';
  `,
  spansToJson,
  `
  ALTER TABLE executions RENAME COLUMN epoch TO owner_epoch;
  ALTER TABLE agent_runs RENAME COLUMN epoch TO owner_epoch;
  ALTER TABLE span_chunks RENAME COLUMN epoch TO owner_epoch;
  `,
  `
  -- the key of the authenticated user who started it; null without one
  ALTER TABLE executions ADD COLUMN owner TEXT;
  UPDATE executions SET owner = (
    SELECT iif(user ->> '$.id' IS NULL, user, json_quote(CAST(user ->> '$.id' AS TEXT))) FROM payloads WHERE execution = executions.number AND json_valid(user)
  ) WHERE number IN (SELECT execution FROM payloads WHERE user IS NOT NULL);
  -- JSON of the authenticated user who last resumed it
  ALTER TABLE executions ADD COLUMN resumed_user TEXT;
  -- the key of the authenticated user who started it; null without one
  ALTER TABLE conversations ADD COLUMN owner TEXT;
  `,
  `
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
  `,
  `
  -- what requested it: step or agent; null for a caller
  ALTER TABLE agent_runs ADD COLUMN requester TEXT;
  `,
  SQLITE_SCHEDULE_TABLES,
  SQLITE_QUEUE_TABLES,
  AGENT_RUN_TABLES,
  EVENTS_AND_WAITS,
  `
  -- why a guardrail blocked the input or the answer; null when none did
  ALTER TABLE agent_runs ADD COLUMN blocked_reason TEXT;
  `,
  COST_TABLES,
  CONVERSATION_UPGRADE,
  `
  -- suspended executions that wait for somebody
  DROP INDEX executions_waiting;
  CREATE INDEX executions_waiting ON executions (created_at) WHERE ${NEEDS_INPUT};
  `,
  RUN_DELETION,
  // the steps before which it suspends, a JSON array
  'ALTER TABLE executions ADD COLUMN pause_at TEXT',
  OPEN_EXCHANGES,
  EVENT_TAKERS,
  SQLITE_SEARCH_TABLES,
  WAITING_PARTS,
  // until when a process makes a summary
  'ALTER TABLE conversations ADD COLUMN claimed_until INTEGER',
  SQLITE_STATISTICS_TABLES,
  COUNTED_PARTS,
  // what the run was requested with besides its input, JSON
  'ALTER TABLE agent_runs ADD COLUMN options TEXT',
  SQLITE_EVAL_TABLES,
  // the parts of a record that is erased
  'CREATE INDEX agent_runs_by_parent ON agent_runs (parent_id) WHERE parent_id IS NOT NULL',
  `
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
  -- crashes of its process in which others were in flight, too
  ALTER TABLE agent_runs ADD COLUMN suspected INTEGER NOT NULL DEFAULT 0;
  -- waiting or passed; null for neither
  ALTER TABLE agent_runs ADD COLUMN trial TEXT;
  `,
  // why it did not start workflows, a JSON array; null for none
  'ALTER TABLE events ADD COLUMN misfits TEXT',
  // what it is found by, JSON
  'ALTER TABLE executions ADD COLUMN metadata TEXT',
  // JSON of why the steps of an execution are compensated, or of how that has ended
  'ALTER TABLE executions ADD COLUMN compensation TEXT',
  // JSON of who has accepted that an execution runs on with code which its record does not fit
  'ALTER TABLE executions ADD COLUMN accepted_changes TEXT',
  // suspended executions whose record does not fit the code
  `CREATE INDEX executions_changed_code ON executions (created_at) WHERE ${CHANGED_CODE_WAITS}`,
  // when it ends with an error; null: never
  'ALTER TABLE executions ADD COLUMN times_out_at INTEGER',
  // workflow, or answer of an agent
  `ALTER TABLE executions ADD COLUMN kind TEXT NOT NULL DEFAULT 'workflow';
  CREATE TRIGGER agent_runs_delete_answer AFTER DELETE ON agent_runs BEGIN
    DELETE FROM executions WHERE id = old.id AND kind = 'answer';
  END;
  CREATE TRIGGER executions_delete_answer AFTER DELETE ON executions WHEN old.kind = 'answer' BEGIN
    DELETE FROM journal WHERE execution = old.number;
    DELETE FROM payloads WHERE execution = old.number;
    DELETE FROM waits WHERE execution_id = old.id;
    DELETE FROM event_takes WHERE execution_id = old.id;
  END;`,
  SQLITE_BUDGET_TABLES,
  SQLITE_RUNS_OF_EXECUTIONS,
]
