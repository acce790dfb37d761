/** What model calls have used of budgets. */
export const SQLITE_BUDGET_TABLES = `
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
  CREATE TRIGGER executions_delete_budgets AFTER DELETE ON executions BEGIN
    DELETE FROM budget_hours WHERE per = 'run' AND subject = old.id;
  END;
  CREATE TRIGGER agent_runs_delete_budgets AFTER DELETE ON agent_runs BEGIN
    DELETE FROM budget_hours WHERE per = 'run' AND subject = old.id;
  END;
`
