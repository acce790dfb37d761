/** The full-text index of executions and agent runs, and how far it is up to date. */
export const SQLITE_SEARCH_TABLES = `
  -- words without their texts; the row id is search_documents.number
  CREATE VIRTUAL TABLE search_text USING fts5(
    words, facets, content = '', contentless_delete = 1, tokenize = 'unicode61', prefix = '2 3'
  );
  CREATE TABLE search_documents (
    -- time in milliseconds times 1024, plus a counter: the order by number is the order by time
    number INTEGER PRIMARY KEY,
    -- 0: executions, 1: agent_runs
    kind INTEGER NOT NULL,
    -- number of the record
    record INTEGER NOT NULL,
    UNIQUE (kind, record)
  ) STRICT;
  CREATE TABLE search_progress (
    singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
    -- executions are indexed up to this milestone
    milestone INTEGER NOT NULL
  ) STRICT;
  INSERT INTO search_progress VALUES (1, 0);

  -- changes of agent runs that are not indexed yet
  CREATE TABLE search_changes (number INTEGER PRIMARY KEY, run INTEGER NOT NULL) STRICT;
  INSERT INTO search_changes (run) SELECT number FROM agent_runs ORDER BY number;
  CREATE TRIGGER search_new_run AFTER INSERT ON agent_runs BEGIN
    INSERT INTO search_changes (run) VALUES (new.number);
  END;
  CREATE TRIGGER search_changed_run AFTER UPDATE OF status ON agent_runs BEGIN
    INSERT INTO search_changes (run) VALUES (new.number);
  END;

  CREATE TRIGGER search_deleted_execution AFTER DELETE ON executions BEGIN
    DELETE FROM search_documents WHERE kind = 0 AND record = old.number;
  END;
  CREATE TRIGGER search_deleted_run AFTER DELETE ON agent_runs BEGIN
    DELETE FROM search_documents WHERE kind = 1 AND record = old.number;
  END;
  CREATE TRIGGER search_deleted_document AFTER DELETE ON search_documents BEGIN
    DELETE FROM search_text WHERE rowid = old.number;
  END;
`
