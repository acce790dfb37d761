import { USAGE_TABLES } from '../agents/usage-tables.ts'
import {
  RUNS_OF_EXECUTIONS,
  COUNTED_PART_TRIGGER,
  OPEN_EXCHANGE_COLUMNS,
  RUN_TABLES,
  WAITING_PART_TRIGGERS,
} from '../agents/run-tables.ts'
import { BUDGET_TABLES } from '../budgets/tables.ts'
import { EVAL_TABLES } from '../evals/tables.ts'
import { EVENT_TABLES, EVENT_TAKES } from '../events/tables.ts'
import { AGENT_TABLES, CONVERSATION_COLUMNS } from '../agents/tables.ts'
import { EXECUTION_TABLES } from '../executions/tables.ts'
import { WRITE_EXECUTIONS } from '../executions/write-function.ts'
import { LOG_TABLES } from '../logs/tables.ts'
import { CHANGED_CODE_WAITS, NEEDS_INPUT } from '../../rows/executions/execution-columns.ts'
import { SEARCH_TABLES } from '../search/tables.ts'
import { SCHEDULE_TABLES } from '../schedules/tables.ts'
import { QUEUE_FUNCTIONS } from '../queue/queue-functions.ts'
import { QUEUE_TABLES } from '../queue/tables.ts'
import { STATISTICS_TABLES } from '../usage/tables.ts'
import { TRACING_TABLES } from '../traces/tables.ts'

/**
 * SQL by position: entry 0 results in schema version 1. A released migration never changes; append another one. Machines
 * of the release before keep working on the result: a migration only adds, and what it makes superfluous is dropped one
 * release later.
 */
export const POSTGRES_MIGRATIONS: readonly string[] = [
  // the tables of each room
  [
    EXECUTION_TABLES,
    WRITE_EXECUTIONS,
    EVENT_TABLES,
    AGENT_TABLES,
    LOG_TABLES,
    TRACING_TABLES,
    SCHEDULE_TABLES,
    QUEUE_TABLES,
    QUEUE_FUNCTIONS,
  ].join('\n'),
  RUN_TABLES,
  // why a guardrail blocked the input or the answer; null when none did
  'ALTER TABLE agent_runs ADD COLUMN blocked_reason text',
  USAGE_TABLES,
  CONVERSATION_COLUMNS,
  // suspended executions that wait for somebody
  `CREATE INDEX executions_need_input ON executions (created_at) WHERE ${NEEDS_INPUT}`,
  // the steps before which it suspends, a JSON array
  `ALTER TABLE executions ADD COLUMN pause_at text;
  ${WRITE_EXECUTIONS.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION')}`,
  OPEN_EXCHANGE_COLUMNS,
  EVENT_TAKES,
  SEARCH_TABLES,
  WAITING_PART_TRIGGERS,
  // until when a process makes a summary
  'ALTER TABLE conversations ADD COLUMN claimed_until bigint',
  `${STATISTICS_TABLES}
  ${WRITE_EXECUTIONS.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION')}`,
  COUNTED_PART_TRIGGER,
  // what the run was requested with besides its input, JSON
  'ALTER TABLE agent_runs ADD COLUMN options text',
  EVAL_TABLES,
  // the parts of a record that is erased
  'CREATE INDEX agent_runs_by_parent ON agent_runs (parent_id) WHERE parent_id IS NOT NULL',
  `
  -- processes that have crashed, and what that says about what was in flight: alone, untried, all
  CREATE TABLE lives (owner_epoch bigint PRIMARY KEY, crash text NOT NULL, at bigint NOT NULL);
  -- crashes of its process in which others were in flight, too
  ALTER TABLE agent_runs ADD COLUMN suspected int NOT NULL DEFAULT 0;
  -- waiting or passed; null for neither
  ALTER TABLE agent_runs ADD COLUMN trial text;
  `,
  // why it did not start workflows, a JSON array; null for none
  'ALTER TABLE events ADD COLUMN misfits text',
  // what it is found by, JSON
  'ALTER TABLE executions ADD COLUMN metadata text',
  // JSON of why the steps of an execution are compensated, or of how that has ended
  `ALTER TABLE executions ADD COLUMN compensation text;
  ${WRITE_EXECUTIONS.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION')}`,
  // JSON of who has accepted that an execution runs on with code which its record does not fit
  `ALTER TABLE executions ADD COLUMN accepted_changes text;
  ${WRITE_EXECUTIONS.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION')}`,
  // suspended executions whose record does not fit the code
  `CREATE INDEX executions_changed_code ON executions (created_at) WHERE ${CHANGED_CODE_WAITS}`,
  // when it ends with an error; null: never
  `ALTER TABLE executions ADD COLUMN times_out_at bigint;
  ${WRITE_EXECUTIONS.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION')}`,
  // workflow, or answer of an agent
  `ALTER TABLE executions ADD COLUMN kind text NOT NULL DEFAULT 'workflow';
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
  ${WRITE_EXECUTIONS.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION')}`,
  BUDGET_TABLES,
  RUNS_OF_EXECUTIONS,
]
