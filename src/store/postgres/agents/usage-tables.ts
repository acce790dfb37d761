/** What agents cost. A cost is in nano-dollars; null when it is unknown, and so is every sum with it. */
export const USAGE_TABLES = `
  ALTER TABLE traces ADD COLUMN cost_nano bigint;
  ALTER TABLE hours ADD COLUMN cost_nano bigint DEFAULT 0;
  UPDATE hours SET cost_nano = NULL WHERE answers > 0;

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
`
