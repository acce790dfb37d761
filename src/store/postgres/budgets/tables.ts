/** What model calls have used of budgets, and the function that reserves a call. */
export const BUDGET_TABLES = `
CREATE TABLE budget_hours (
  -- config, agent <id> or workflow <id>
  declared_on text COLLATE "C" NOT NULL,
  -- run, user, agent or project
  per text COLLATE "C" NOT NULL,
  -- whose use it is: the id of the run, the user or the agent; empty for none
  subject text COLLATE "C" NOT NULL,
  -- hours since the epoch
  hour int NOT NULL,
  -- the call whose reservation it is; empty for what calls have used
  call text COLLATE "C" NOT NULL,
  cost_nano bigint NOT NULL,
  tokens bigint NOT NULL,
  -- the hour from which it does not count any more; null: that of a run, which is deleted with its record
  until int,
  PRIMARY KEY (declared_on, per, subject, hour, call)
);
CREATE INDEX budget_calls ON budget_hours (call) WHERE call <> '';
CREATE INDEX budget_hours_by_end ON budget_hours (until);
CREATE INDEX budget_hours_by_subject ON budget_hours (subject);

CREATE FUNCTION delete_budgets_of_runs() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM budget_hours WHERE per = 'run' AND subject IN (SELECT id FROM deleted);
  RETURN NULL;
END $$;
CREATE TRIGGER executions_delete_budgets AFTER DELETE ON executions REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION delete_budgets_of_runs();
CREATE TRIGGER agent_runs_delete_budgets AFTER DELETE ON agent_runs REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION delete_budgets_of_runs();

-- limits: a JSON array. Returns what was used of those that refuse the call; otherwise the call is reserved
CREATE FUNCTION reserve_budget(call_key text, at_hour int, call_cost bigint, call_tokens bigint, limits jsonb)
RETURNS TABLE (index int, hour int, cost_nano bigint, tokens bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  refusing int[];
BEGIN
  -- one call at a time checks a counter; in the same order everywhere, so that none waits for the other
  PERFORM pg_advisory_xact_lock(l.key) FROM (
    SELECT DISTINCT hashtextextended(jsonb_build_array(current_schema(), g."declaredOn", g.per, g.subject)::text, 0) AS key
    FROM jsonb_to_recordset(limits) AS g("declaredOn" text, per text, subject text) ORDER BY 1) l;
  SELECT array_agg(g.index) INTO refusing
  FROM jsonb_to_recordset(limits) AS g(index int, "declaredOn" text, per text, subject text, "fromHour" int, "costNano" bigint, tokens bigint),
    LATERAL (SELECT coalesce(sum(b.cost_nano), 0) AS cost_nano, coalesce(sum(b.tokens), 0) AS tokens FROM budget_hours b
      WHERE b.declared_on = g."declaredOn" AND b.per = g.per AND b.subject = g.subject AND b.hour >= g."fromHour" AND b.call <> call_key) u
  WHERE u.cost_nano + call_cost > g."costNano" OR u.tokens + call_tokens > g.tokens;
  IF refusing IS NULL THEN
    DELETE FROM budget_hours b WHERE b.call = call_key AND b.call <> '';
    INSERT INTO budget_hours (declared_on, per, subject, hour, call, cost_nano, tokens, until)
    SELECT g."declaredOn", g.per, g.subject, at_hour, call_key, call_cost, call_tokens, max(g."untilHour")
    FROM jsonb_to_recordset(limits) AS g("declaredOn" text, per text, subject text, "untilHour" int)
    GROUP BY 1, 2, 3;
    RETURN;
  END IF;
  RETURN QUERY SELECT g.index, b.hour, sum(b.cost_nano)::bigint, sum(b.tokens)::bigint
  FROM jsonb_to_recordset(limits) AS g(index int, "declaredOn" text, per text, subject text, "fromHour" int)
  LEFT JOIN budget_hours b ON b.declared_on = g."declaredOn" AND b.per = g.per AND b.subject = g.subject
    AND b.hour >= g."fromHour" AND b.call <> call_key
  WHERE g.index = ANY (refusing) GROUP BY g.index, b.hour ORDER BY g.index, b.hour;
END $$;
`
