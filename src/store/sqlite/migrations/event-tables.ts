/** Version 18: events, and the steps that wait for them. */
export const EVENTS_AND_WAITS = `
-- events that were sent to executions
CREATE TABLE events (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  -- null: it has none
  key TEXT,
  -- JSON
  data TEXT NOT NULL,
  at INTEGER NOT NULL,
  -- JSON of whom the access rules apply to
  sender TEXT
) STRICT;
CREATE INDEX events_by_topic ON events (name, key, number);
CREATE INDEX events_by_time ON events (at);
-- steps that wait for events
CREATE TABLE waits (
  number INTEGER PRIMARY KEY,
  execution_id TEXT NOT NULL,
  -- of the step
  path TEXT NOT NULL,
  name TEXT NOT NULL,
  key TEXT,
  -- when it began to wait
  since INTEGER NOT NULL,
  UNIQUE (execution_id, path)
) STRICT;
CREATE INDEX waits_by_topic ON waits (name, key);
`

/** The executions that took an event. */
export const EVENT_TAKERS = `
CREATE TABLE event_takes (
  number INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL,
  execution_id TEXT NOT NULL,
  UNIQUE (event_id, execution_id)
) STRICT;
CREATE TRIGGER events_pruned AFTER DELETE ON events BEGIN
  DELETE FROM event_takes WHERE event_id = old.id;
END;
`
