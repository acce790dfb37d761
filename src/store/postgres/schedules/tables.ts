/** The table of schedules. */
export const SCHEDULE_TABLES = `
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
`
