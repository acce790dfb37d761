/** How long steps take, and what models cost. */
export const SQLITE_STATISTICS_TABLES = `
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
  `
