/** The state of schedules. */
export const SQLITE_SCHEDULE_TABLES = `
  -- the state of schedules
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
  `
