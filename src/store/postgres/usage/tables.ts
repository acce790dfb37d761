/** How long steps take, and what models cost. Each machine changes rows of its own, as in `hours`. */
export const STATISTICS_TABLES = `
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
`
