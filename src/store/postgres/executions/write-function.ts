import { CHANGE_COLUMNS, EXECUTION_COLUMNS } from '../../rows/executions/execution-columns.ts'

const INSERTED = [...EXECUTION_COLUMNS.map(([column]) => column), 'origin_id']

/** Those that a change can set to null; the others keep their value when it has none. */
const CHANGED_TEXTS = [
  CHANGE_COLUMNS.output,
  CHANGE_COLUMNS.error,
  CHANGE_COLUMNS.suspension,
  CHANGE_COLUMNS.suspendRequest,
  CHANGE_COLUMNS.resumedUser,
  CHANGE_COLUMNS.pauseAt,
  CHANGE_COLUMNS.metadata,
  CHANGE_COLUMNS.compensation,
  CHANGE_COLUMNS.acceptedChanges,
  CHANGE_COLUMNS.failure,
]

/** The parts of a batch (see BatchPart), with some of their columns. */
function parts(...columns: readonly string[]): string {
  return `jsonb_to_recordset(writes) AS p(place int, unit int, round int, id text, ${columns.join(', ')})`
}

/** Selects those that are neither refused nor already stored. */
const APPLIED = 'NOT p.unit = ANY(skipped)'

/**
 * Applies a batch of writes: `writes` is a JSON array of BatchPart, `machine` the owner epoch of the caller. Returns the
 * units whose conditions fail, and those which an earlier call with the same tokens has stored.
 *
 * The statements go through the whole batch, one round after the other, as one for each write would be many times slower.
 * Their plans must not depend on how full the tables were when a session made them.
 */
export const WRITE_EXECUTIONS = `
CREATE FUNCTION write_executions(machine bigint, writes jsonb, OUT refused int[], OUT stored int[]) LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET jit = off
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
  skipped int[] := '{}';
  conflicts text;
  marked bigint[] := '{}';
  marked_seqs int[] := '{}';
  marked_places int[] := '{}';
  total int;
  newest bigint;
BEGIN
  refused := '{}';
  stored := '{}';
  -- in one order, so that two machines that change the same executions don't wait for each other
  PERFORM FROM executions WHERE id IN (SELECT p.id FROM jsonb_to_recordset(writes) AS p(id text)) ORDER BY id FOR UPDATE;

  FOR turn IN 0..(SELECT max(p.round) FROM jsonb_to_recordset(writes) AS p(round int)) LOOP
    SELECT refused || coalesce(array_agg(c.unit) FILTER (WHERE NOT c.is_stored), '{}'),
      stored || coalesce(array_agg(c.unit) FILTER (WHERE c.is_stored), '{}'),
      min(c.conflict)
    INTO refused, stored, conflicts
    FROM (
      SELECT p.unit,
        coalesce(bool_or(p.place = p.unit AND e.last_write = p.token), false) AS is_stored,
        bool_and(CASE
          WHEN p.insert IS NOT NULL THEN e.id IS NULL
          WHEN e.id IS NULL THEN false
          WHEN p.condition IS NULL THEN true
          ELSE e.status = p.condition->>'status'
            AND e.owner_epoch = coalesce((p.condition->>'ownerEpoch')::bigint, e.owner_epoch)
            AND e.last_sequence = coalesce((p.condition->>'lastSequence')::int, e.last_sequence)
            AND e.last_sequence < coalesce(p.first, e.last_sequence + 1)
        END) AS holds,
        min(p.id) FILTER (WHERE p.insert IS NULL AND p.condition IS NULL AND e.last_sequence >= p.first) AS conflict
      FROM ${parts('insert jsonb', 'condition jsonb', 'first int', 'token bigint')} LEFT JOIN executions e ON e.id = p.id
      WHERE p.round = turn GROUP BY p.unit
    ) c WHERE c.is_stored OR NOT c.holds OR c.conflict IS NOT NULL;
    IF conflicts IS NOT NULL THEN RAISE EXCEPTION 'The execution % already has these events', conflicts; END IF;
    skipped := refused || stored;

    -- fails where another transaction has inserted the same id at the same time
    WITH added AS MATERIALIZED (
      SELECT p.place, p.last, p.token, p.payload, i.* FROM ${parts('insert jsonb', 'payload jsonb', 'last int', 'token bigint')},
        jsonb_populate_record(NULL::executions, p.insert) i
      WHERE p.round = turn AND p.insert IS NOT NULL AND ${APPLIED}
    ), new AS (
      INSERT INTO executions (${INSERTED.join(', ')}, last_sequence, last_write)
      SELECT ${INSERTED.map((column) => `a.${column}`).join(', ')}, coalesce(a.last, 0), a.token
      FROM added a ORDER BY a.place RETURNING executions.number, executions.id
    )
    INSERT INTO payloads
    SELECT n.number, a.payload->>'input', a.payload->>'context', a.payload->>'user' FROM new n JOIN added a ON a.id = n.id;

    UPDATE executions e SET
      last_sequence = CASE WHEN p.appends THEN e.last_sequence + coalesce(p.last, 0) ELSE coalesce(p.last, e.last_sequence) END,
      last_write = coalesce(p.token, e.last_write),
      status = coalesce(p.set->>'status', e.status),
      owner_epoch = coalesce((p.set->>'owner_epoch')::bigint, e.owner_epoch),
      updated_at = coalesce((p.set->>'updated_at')::bigint, e.updated_at),
      ended_at = CASE WHEN p.set ? 'ended_at' THEN (p.set->>'ended_at')::bigint ELSE e.ended_at END,
      ${CHANGED_TEXTS.map((column) => `${column} = CASE WHEN p.set ? '${column}' THEN p.set->>'${column}' ELSE e.${column} END`).join(',\n      ')}
    FROM ${parts('set jsonb', 'last int', 'appends boolean', 'token bigint')}
    WHERE p.round = turn AND p.set IS NOT NULL AND e.id = p.id AND ${APPLIED};

    -- only changes of steps without events find an entry with their number
    INSERT INTO journal AS j (execution, seq, steps, events)
    SELECT e.number, e.last_sequence, coalesce(p.steps, '[]'), coalesce(p.events, '[]')
    FROM ${parts('steps text', 'events text')} JOIN executions e ON e.id = p.id
    WHERE p.round = turn AND (p.steps IS NOT NULL OR p.events IS NOT NULL) AND ${APPLIED}
    ON CONFLICT (execution, seq) DO UPDATE SET steps =
      CASE WHEN j.steps = '[]' THEN excluded.steps ELSE left(j.steps, -1) || ',' || substr(excluded.steps, 2) END;

    SELECT marked || array_agg(e.number), marked_seqs || array_agg(e.last_sequence), marked_places || array_agg(p.place)
    INTO marked, marked_seqs, marked_places
    FROM ${parts('milestone boolean')} JOIN executions e ON e.id = p.id
    WHERE p.round = turn AND p.milestone AND ${APPLIED};
  END LOOP;

  INSERT INTO hours AS h (hour, owner_epoch, started, completed, errors, cancelled)
  SELECT c.hour, machine, count(*) FILTER (WHERE c.counted = 'started'), count(*) FILTER (WHERE c.counted = 'completed'),
    count(*) FILTER (WHERE c.counted = 'errors'), count(*) FILTER (WHERE c.counted = 'cancelled')
  FROM ${parts('counts jsonb')}, jsonb_to_recordset(p.counts) AS c(hour int, counted text)
  WHERE ${APPLIED} GROUP BY c.hour ORDER BY c.hour
  ON CONFLICT (hour, owner_epoch) DO UPDATE SET started = h.started + excluded.started,
    completed = h.completed + excluded.completed, errors = h.errors + excluded.errors, cancelled = h.cancelled + excluded.cancelled;

  INSERT INTO step_days AS s (day, owner_epoch, workflow_id, step, bucket, completed, errors)
  SELECT t.day, machine, t.workflow_id, t.step, t.bucket, count(*) FILTER (WHERE NOT t.failed), count(*) FILTER (WHERE t.failed)
  FROM ${parts('times jsonb')},
    jsonb_to_recordset(p.times) AS t(day int, workflow_id text, step text, bucket int, failed boolean)
  WHERE ${APPLIED} GROUP BY t.day, t.workflow_id, t.step, t.bucket ORDER BY t.day, t.workflow_id, t.step, t.bucket
  ON CONFLICT (day, workflow_id, step, bucket, owner_epoch) DO UPDATE SET
    completed = s.completed + excluded.completed, errors = s.errors + excluded.errors;

  -- the last change before the commit: its lock makes numbers follow the order of the commits, without gaps
  total := cardinality(marked);
  IF total > 0 THEN
    UPDATE counters SET milestone = milestone + total RETURNING milestone INTO newest;
    INSERT INTO milestones (number, execution, seq)
    SELECT newest - total + row_number() OVER (ORDER BY m.place), m.execution, m.seq
    FROM unnest(marked, marked_seqs, marked_places) AS m(execution, seq, place);
  END IF;
END $$;
`
