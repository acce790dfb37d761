/** What agents cost. A cost is in nano-dollars; null when it is unknown, and so is every sum with it. */
export const COST_TABLES = `
  ALTER TABLE traces ADD COLUMN cost_nano INTEGER;
  ALTER TABLE hours ADD COLUMN cost_nano INTEGER DEFAULT 0;
  UPDATE hours SET cost_nano = NULL WHERE answers > 0;

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
  `
