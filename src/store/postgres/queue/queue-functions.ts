/**
 * Functions that give places. Their caller has locked the rows of `queue_limits`. They return what is to be done in the
 * same transaction: `go-on` of an execution that has got a place, `admit` of a workflow at a time.
 */
export const QUEUE_FUNCTIONS = `
CREATE TYPE queue_outcome AS (kind text, id text, at bigint, reason text);

CREATE FUNCTION queue_is_full(workflow text, ckey text, capacity int) RETURNS boolean LANGUAGE sql AS $$
  SELECT capacity IS NOT NULL AND capacity <= (
    SELECT count(*) FROM queue WHERE workflow_id = workflow AND concurrency_key = ckey AND state = 'running')
$$;

-- when the rate allows the next start; null: now
CREATE FUNCTION queue_rate_free_at(workflow text, rkey text, now_ms bigint, l queue_limits) RETURNS bigint LANGUAGE sql AS $$
  SELECT started_at + l.per_ms FROM queue
  WHERE l.rate IS NOT NULL AND workflow_id = workflow AND rate_key = rkey AND started_at > now_ms - l.per_ms
  ORDER BY started_at DESC LIMIT 1 OFFSET greatest(l.rate - 1, 0)
$$;

-- gives the free places of a workflow, or of one of its keys
CREATE FUNCTION queue_admit(workflow text, now_ms bigint, only_key text) RETURNS SETOF queue_outcome LANGUAGE plpgsql AS $$
DECLARE
  l queue_limits;
  place queue;
  full_keys text[] := '{}';
  full_rates text[] := '{}';
  free_at bigint;
BEGIN
  SELECT * INTO l FROM queue_limits WHERE workflow_id = workflow;
  IF l.per_ms IS NOT NULL THEN
    DELETE FROM queue WHERE workflow_id = workflow AND state = 'ended' AND coalesce(started_at, 0) <= now_ms - l.per_ms;
  END IF;
  LOOP
    SELECT * INTO place FROM queue q
    WHERE q.workflow_id = workflow AND q.state = 'waiting' AND (only_key IS NULL OR q.concurrency_key = only_key)
      AND q.concurrency_key <> ALL (full_keys) AND (q.started_at IS NOT NULL OR q.rate_key <> ALL (full_rates))
    ORDER BY q.priority DESC, q.number LIMIT 1;
    EXIT WHEN NOT FOUND;
    free_at := CASE WHEN place.started_at IS NULL THEN queue_rate_free_at(workflow, place.rate_key, now_ms, l) END;
    IF queue_is_full(workflow, place.concurrency_key, l.concurrency) THEN
      full_keys := full_keys || place.concurrency_key;
      EXIT WHEN only_key IS NOT NULL OR place.concurrency_key = '';
    ELSIF free_at IS NOT NULL THEN
      full_rates := full_rates || place.rate_key;
      RETURN NEXT ('admit', workflow, free_at, NULL)::queue_outcome;
    ELSE
      UPDATE queue SET state = 'running', started_at = coalesce(started_at, now_ms) WHERE execution_id = place.execution_id;
      RETURN NEXT ('go-on', place.execution_id, now_ms, NULL)::queue_outcome;
    END IF;
  END LOOP;
END $$;

CREATE FUNCTION queue_enter(entry jsonb) RETURNS SETOF queue_outcome LANGUAGE plpgsql AS $$
DECLARE
  l queue_limits;
  execution text := entry->>'id';
  workflow text := entry->>'workflow';
  ckey text := entry->>'concurrencyKey';
  rkey text := entry->>'rateKey';
  prio double precision := (entry->>'priority')::double precision;
  now_ms bigint := (entry->>'since')::bigint;
  is_start boolean := (entry->>'starts')::boolean;
  free_at bigint;
  outcome queue_outcome;
BEGIN
  SELECT * INTO l FROM queue_limits WHERE workflow_id = workflow;
  INSERT INTO queue AS q (execution_id, workflow_id, number, concurrency_key, rate_key, priority, since, state, started_at)
  VALUES (execution, workflow, nextval('queue_ages'), ckey, rkey, prio, now_ms, 'waiting', CASE WHEN is_start THEN NULL ELSE 0 END)
  ON CONFLICT (execution_id) DO UPDATE SET number = excluded.number, workflow_id = excluded.workflow_id,
    concurrency_key = excluded.concurrency_key, rate_key = excluded.rate_key, priority = excluded.priority,
    since = excluded.since, state = 'waiting', started_at = coalesce(q.started_at, excluded.started_at);
  IF queue_is_full(workflow, ckey, l.concurrency) THEN
    RETURN NEXT ('queued', execution, NULL, 'concurrency')::queue_outcome;
    RETURN;
  END IF;
  free_at := CASE WHEN is_start THEN queue_rate_free_at(workflow, rkey, now_ms, l) END;
  IF free_at IS NOT NULL THEN
    RETURN NEXT ('queued', execution, NULL, 'rate')::queue_outcome;
    RETURN NEXT ('admit', workflow, free_at, NULL)::queue_outcome;
    RETURN;
  END IF;
  -- time has freed a place for one that waits
  IF EXISTS (SELECT FROM queue q WHERE q.workflow_id = workflow AND q.concurrency_key = ckey AND q.state = 'waiting'
      AND q.rate_key = rkey AND q.priority >= prio AND q.execution_id <> execution) THEN
    FOR outcome IN SELECT * FROM queue_admit(workflow, now_ms, NULL) LOOP
      IF outcome.kind <> 'go-on' OR outcome.id <> execution THEN RETURN NEXT outcome; END IF;
    END LOOP;
    IF EXISTS (SELECT FROM queue WHERE execution_id = execution AND state = 'waiting') THEN
      RETURN NEXT ('queued', execution, NULL, 'rate')::queue_outcome;
    END IF;
    RETURN;
  END IF;
  UPDATE queue SET state = 'running', started_at = coalesce(started_at, now_ms) WHERE execution_id = execution;
END $$;

CREATE FUNCTION queue_leave(execution text, now_ms bigint) RETURNS SETOF queue_outcome LANGUAGE plpgsql AS $$
DECLARE
  place queue;
BEGIN
  SELECT * INTO place FROM queue WHERE execution_id = execution AND state <> 'ended';
  IF NOT FOUND THEN RETURN; END IF;
  IF EXISTS (SELECT FROM queue_limits WHERE workflow_id = place.workflow_id AND per_ms IS NOT NULL) THEN
    UPDATE queue SET state = 'ended' WHERE execution_id = execution;
  ELSE
    DELETE FROM queue WHERE execution_id = execution;
  END IF;
  RETURN QUERY SELECT * FROM queue_admit(place.workflow_id, now_ms, place.concurrency_key);
END $$;

-- changes: a JSON array, in order, of { enter } and { leave, now }
CREATE FUNCTION change_queue(changes jsonb) RETURNS SETOF queue_outcome LANGUAGE plpgsql AS $$
DECLARE
  change jsonb;
BEGIN
  INSERT INTO queue_limits (workflow_id, concurrency, rate, per_ms)
  SELECT DISTINCT ON (c.enter->>'workflow') c.enter->>'workflow', (c.enter->>'concurrency')::int, (c.enter->>'rate')::int, (c.enter->>'perMs')::bigint
  FROM jsonb_to_recordset(changes) AS c(enter jsonb) WHERE c.enter IS NOT NULL
  ORDER BY c.enter->>'workflow' ON CONFLICT DO NOTHING;
  PERFORM FROM queue_limits WHERE workflow_id IN (
    SELECT c.enter->>'workflow' FROM jsonb_to_recordset(changes) AS c(enter jsonb)
    UNION SELECT q.workflow_id FROM jsonb_to_recordset(changes) AS c(leave text) JOIN queue q ON q.execution_id = c.leave
  ) ORDER BY workflow_id FOR UPDATE;
  FOR change IN SELECT * FROM jsonb_array_elements(changes) LOOP
    IF change ? 'enter' THEN
      RETURN QUERY SELECT * FROM queue_enter(change->'enter');
    ELSE
      RETURN QUERY SELECT * FROM queue_leave(change->>'leave', (change->>'now')::bigint);
    END IF;
  END LOOP;
END $$;

CREATE FUNCTION configure_queue(given jsonb, now_ms bigint) RETURNS SETOF queue_outcome LANGUAGE plpgsql AS $$
DECLARE
  limited text;
BEGIN
  INSERT INTO queue_limits (workflow_id, concurrency, rate, per_ms)
  SELECT g.workflow, g.concurrency, g.rate, g."perMs"
  FROM jsonb_to_recordset(given) AS g(workflow text, concurrency int, rate int, "perMs" bigint) ORDER BY g.workflow
  ON CONFLICT (workflow_id) DO NOTHING;
  PERFORM FROM queue_limits ORDER BY workflow_id FOR UPDATE;
  UPDATE queue_limits l SET concurrency = g.concurrency, rate = g.rate, per_ms = g."perMs"
  FROM jsonb_to_recordset(given) AS g(workflow text, concurrency int, rate int, "perMs" bigint)
  WHERE l.workflow_id = g.workflow AND (l.concurrency, l.rate, l.per_ms) IS DISTINCT FROM (g.concurrency, g.rate, g."perMs");
  DELETE FROM queue q WHERE q.state <> 'ended'
    AND NOT EXISTS (SELECT FROM executions e WHERE e.id = q.execution_id AND e.status = 'running');
  FOR limited IN SELECT l.workflow_id FROM queue_limits l ORDER BY 1 LOOP
    IF EXISTS (SELECT FROM jsonb_to_recordset(given) AS g(workflow text) WHERE g.workflow = limited) THEN
      RETURN QUERY SELECT * FROM queue_admit(limited, now_ms, NULL);
    END IF;
  END LOOP;
  -- their workflows have no limits any more
  RETURN QUERY SELECT 'go-on', q.execution_id, now_ms, NULL::text FROM queue q
    WHERE q.state = 'waiting' AND q.workflow_id NOT IN (SELECT g.workflow FROM jsonb_to_recordset(given) AS g(workflow text))
    ORDER BY q.priority DESC, q.number;
  DELETE FROM queue q WHERE q.workflow_id NOT IN (SELECT g.workflow FROM jsonb_to_recordset(given) AS g(workflow text));
  DELETE FROM queue_limits l WHERE l.workflow_id NOT IN (SELECT g.workflow FROM jsonb_to_recordset(given) AS g(workflow text));
END $$;
`
