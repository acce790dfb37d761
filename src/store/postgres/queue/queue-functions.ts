/**
 * Functions that give slots. Their caller has locked the rows of `queue_limits`. They return what is to be done in the
 * same transaction: `continue` of an execution that has got a slot, `admit` of a workflow at a time. Times are in the clock
 * of the database.
 */
export const QUEUE_FUNCTIONS = `
CREATE TYPE queue_outcome AS (kind text, id text, at bigint, reason text);

CREATE FUNCTION queue_is_full(workflow text, ckey text, capacity int) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT capacity IS NOT NULL AND capacity <= (
    SELECT count(*) FROM queue WHERE workflow_id = workflow AND concurrency_key = ckey AND state = 'running')
$$;

-- when the rate allows the next start; null: now
CREATE FUNCTION queue_free_at(workflow text, rkey text, now_ms bigint, l queue_limits) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF l.rate IS NULL OR rkey = '-' THEN RETURN NULL; END IF;
  RETURN (SELECT started_at + l.per_ms FROM queue_starts
    WHERE workflow_id = workflow AND rate_key = rkey AND started_at > now_ms - l.per_ms
    ORDER BY started_at DESC LIMIT 1 OFFSET greatest(l.rate - 1, 0));
END $$;

CREATE FUNCTION queue_begin(execution text, rkey text, now_ms bigint, l queue_limits) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE queue SET state = 'running' WHERE execution_id = execution;
  UPDATE queue_limits SET waiting = waiting - 1 WHERE workflow_id = l.workflow_id;
  IF l.rate IS NULL OR rkey = '-' THEN RETURN; END IF;
  DELETE FROM queue_starts WHERE workflow_id = l.workflow_id AND started_at <= now_ms - l.per_ms;
  INSERT INTO queue_starts (execution_id, workflow_id, rate_key, started_at) VALUES (execution, l.workflow_id, rkey, now_ms)
  ON CONFLICT (execution_id) DO UPDATE SET started_at = excluded.started_at;
END $$;

-- gives the free slots of a workflow, or of one key of its concurrency
CREATE FUNCTION queue_admit(workflow text, now_ms bigint, only_key text) RETURNS SETOF queue_outcome LANGUAGE plpgsql
SET jit = off AS $$
DECLARE
  l queue_limits;
  head record;
BEGIN
  SELECT * INTO l FROM queue_limits WHERE workflow_id = workflow;
  -- of a clock that was ahead
  UPDATE queue_starts SET started_at = now_ms WHERE workflow_id = workflow AND started_at > now_ms + l.per_ms;
  LOOP
    -- the first of those that wait, of each pair of keys that has a slot
    WITH RECURSIVE pairs AS (
      (SELECT q.concurrency_key AS ckey, q.rate_key AS rkey FROM queue q
        WHERE q.workflow_id = workflow AND q.state = 'waiting' AND q.concurrency_key >= coalesce(only_key, '')
        ORDER BY q.concurrency_key, q.rate_key LIMIT 1)
      UNION ALL
      SELECT n.* FROM pairs p, LATERAL (SELECT q.concurrency_key, q.rate_key FROM queue q
        WHERE q.workflow_id = workflow AND q.state = 'waiting' AND (q.concurrency_key, q.rate_key) > (p.ckey, p.rkey)
        ORDER BY q.concurrency_key, q.rate_key LIMIT 1) n
      WHERE only_key IS NULL OR p.ckey = only_key
    )
    SELECT h.*, f.free_at INTO head FROM pairs p,
      LATERAL (SELECT q.execution_id, q.rate_key, q.rank, q.number FROM queue q
        WHERE q.workflow_id = workflow AND q.state = 'waiting' AND q.concurrency_key = p.ckey AND q.rate_key = p.rkey
        ORDER BY q.rank, q.number LIMIT 1) h,
      LATERAL (SELECT queue_free_at(workflow, p.rkey, now_ms, l) AS free_at) f
    WHERE (only_key IS NULL OR p.ckey = only_key) AND NOT queue_is_full(workflow, p.ckey, l.concurrency)
    ORDER BY f.free_at NULLS FIRST, h.rank, h.number LIMIT 1;
    EXIT WHEN NOT FOUND;
    IF head.free_at IS NOT NULL THEN
      RETURN NEXT ('admit', workflow, head.free_at, NULL)::queue_outcome;
      EXIT;
    END IF;
    PERFORM queue_begin(head.execution_id, head.rate_key, now_ms, l);
    RETURN NEXT ('continue', head.execution_id, now_ms, NULL)::queue_outcome;
  END LOOP;
END $$;

CREATE FUNCTION queue_enter(entry jsonb) RETURNS SETOF queue_outcome LANGUAGE plpgsql AS $$
DECLARE
  l queue_limits;
  execution text := entry->>'id';
  workflow text := entry->>'workflow';
  ckey text := entry->>'concurrencyKey';
  now_ms bigint := (entry->>'now')::bigint;
  rkey text := CASE WHEN (entry->>'starts')::boolean THEN entry->>'rateKey' ELSE '-' END;
  is_full boolean;
  free_at bigint;
  outcome queue_outcome;
BEGIN
  SELECT * INTO l FROM queue_limits WHERE workflow_id = workflow;
  is_full := queue_is_full(workflow, ckey, l.concurrency);
  free_at := queue_free_at(workflow, rkey, now_ms, l);
  IF (is_full OR free_at IS NOT NULL) AND (entry->>'maxWaiting')::bigint <= (SELECT sum(waiting) FROM queue_limits) THEN
    RETURN NEXT ('full', execution, NULL, NULL)::queue_outcome;
    RETURN;
  END IF;
  -- one that continues keeps its rank
  INSERT INTO queue (execution_id, workflow_id, number, concurrency_key, rate_key, rank, since, state)
  VALUES (execution, workflow, nextval('queue_ages'), ckey, rkey, -(entry->>'priority')::double precision, (entry->>'since')::bigint, 'waiting')
  ON CONFLICT (execution_id) DO UPDATE SET number = excluded.number, workflow_id = excluded.workflow_id,
    concurrency_key = excluded.concurrency_key, rate_key = excluded.rate_key, since = excluded.since, state = 'waiting';
  UPDATE queue_limits SET waiting = waiting + 1 WHERE workflow_id = workflow;
  IF is_full THEN
    RETURN NEXT ('queued', execution, NULL, 'concurrency')::queue_outcome;
  ELSIF free_at IS NOT NULL THEN
    RETURN NEXT ('queued', execution, NULL, 'rate')::queue_outcome;
    RETURN NEXT ('admit', workflow, free_at, NULL)::queue_outcome;
  ELSIF l.rate IS NOT NULL AND (
    EXISTS (SELECT FROM queue WHERE workflow_id = workflow AND rate_key = rkey AND state = 'waiting' AND execution_id <> execution)
    OR EXISTS (SELECT FROM queue WHERE workflow_id = workflow AND concurrency_key = ckey AND state = 'waiting' AND execution_id <> execution)
  ) THEN
    -- time has freed slots for others that wait
    FOR outcome IN SELECT * FROM queue_admit(workflow, now_ms, NULL) LOOP
      IF outcome.kind <> 'continue' OR outcome.id <> execution THEN RETURN NEXT outcome; END IF;
    END LOOP;
    IF EXISTS (SELECT FROM queue WHERE execution_id = execution AND state = 'waiting') THEN
      RETURN NEXT ('queued', execution, NULL,
        CASE WHEN queue_is_full(workflow, ckey, l.concurrency) THEN 'concurrency' ELSE 'rate' END)::queue_outcome;
    END IF;
  ELSE
    PERFORM queue_begin(execution, rkey, now_ms, l);
  END IF;
END $$;

CREATE FUNCTION queue_leave(execution text, now_ms bigint, is_final boolean) RETURNS SETOF queue_outcome LANGUAGE plpgsql AS $$
DECLARE
  slot queue;
BEGIN
  SELECT * INTO slot FROM queue WHERE execution_id = execution;
  IF NOT FOUND THEN RETURN; END IF;
  IF is_final THEN
    DELETE FROM queue WHERE execution_id = execution;
  ELSE
    UPDATE queue SET state = 'suspended' WHERE execution_id = execution;
  END IF;
  IF slot.state = 'waiting' THEN
    UPDATE queue_limits SET waiting = waiting - 1 WHERE workflow_id = slot.workflow_id;
  ELSIF slot.state = 'running' AND EXISTS (SELECT FROM queue_limits WHERE workflow_id = slot.workflow_id AND concurrency IS NOT NULL) THEN
    RETURN QUERY SELECT * FROM queue_admit(slot.workflow_id, now_ms, slot.concurrency_key);
  END IF;
END $$;

-- changes: a JSON array, in order, of { enter }, { leave, now, final } and { begin, now }
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
    UNION SELECT q.workflow_id FROM jsonb_to_recordset(changes) AS c(leave text, begin text)
      JOIN queue q ON q.execution_id = coalesce(c.leave, c.begin)
  ) ORDER BY workflow_id FOR UPDATE;
  FOR change IN SELECT * FROM jsonb_array_elements(changes) LOOP
    IF change ? 'enter' THEN
      RETURN QUERY SELECT * FROM queue_enter(change->'enter');
    ELSIF change ? 'begin' THEN
      -- one that continues has started before
      UPDATE queue_starts s SET started_at = (change->>'now')::bigint FROM queue q
      WHERE s.execution_id = change->>'begin' AND q.execution_id = s.execution_id AND q.rate_key <> '-';
    ELSE
      RETURN QUERY SELECT * FROM queue_leave(change->>'leave', (change->>'now')::bigint, (change->>'final')::boolean);
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
  DELETE FROM queue q WHERE NOT EXISTS (SELECT FROM executions e WHERE e.id = q.execution_id
    AND e.status = CASE q.state WHEN 'suspended' THEN 'suspended' ELSE 'running' END);
  UPDATE queue_limits l SET waiting = (SELECT count(*) FROM queue q WHERE q.workflow_id = l.workflow_id AND q.state = 'waiting');
  FOR limited IN SELECT l.workflow_id FROM queue_limits l ORDER BY 1 LOOP
    IF EXISTS (SELECT FROM jsonb_to_recordset(given) AS g(workflow text) WHERE g.workflow = limited) THEN
      RETURN QUERY SELECT * FROM queue_admit(limited, now_ms, NULL);
    ELSE
      -- its workflow has no limits any more
      RETURN QUERY SELECT 'continue', q.execution_id, now_ms, NULL::text FROM queue q
        WHERE q.workflow_id = limited AND q.state = 'waiting' ORDER BY q.rank, q.number;
      DELETE FROM queue q WHERE q.workflow_id = limited;
      DELETE FROM queue_starts s WHERE s.workflow_id = limited;
      DELETE FROM queue_limits l WHERE l.workflow_id = limited;
    END IF;
  END LOOP;
END $$;
`
