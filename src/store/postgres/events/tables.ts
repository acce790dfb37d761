/** Events that were sent, and the steps that wait for them. */
export const EVENT_TABLES = `
CREATE TABLE events (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  name text COLLATE "C" NOT NULL,
  -- null: it has none
  key text COLLATE "C",
  -- JSON
  data text NOT NULL,
  at bigint NOT NULL,
  -- JSON of whom the access rules apply to
  sender text
);
CREATE INDEX events_by_topic ON events (name, key, number);
CREATE INDEX events_by_time ON events (at);

CREATE TABLE waits (
  execution_id text COLLATE "C" NOT NULL,
  -- of the step
  path text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  key text COLLATE "C",
  -- when it began to wait
  since bigint NOT NULL,
  PRIMARY KEY (execution_id, path)
);
CREATE INDEX waits_by_topic ON waits (name, key);
`

/** The executions that took an event. */
export const EVENT_TAKES = `
CREATE TABLE event_takes (
  event_id text COLLATE "C" NOT NULL,
  execution_id text COLLATE "C" NOT NULL,
  PRIMARY KEY (event_id, execution_id)
);
CREATE FUNCTION forget_event_takes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM event_takes WHERE event_id = old.id;
  RETURN NULL;
END $$;
CREATE TRIGGER events_pruned AFTER DELETE ON events FOR EACH ROW EXECUTE FUNCTION forget_event_takes();
`
