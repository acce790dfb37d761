/** The full-text index of executions and agent runs, and how far it is up to date. */
export const SEARCH_TABLES = `
  CREATE TABLE search_documents (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- executions.number; no reference: a document would lock the execution, which its run changes
    execution bigint UNIQUE,
    run bigint UNIQUE REFERENCES agent_runs ON DELETE CASCADE,
    -- of the record
    created_at bigint NOT NULL,
    words tsvector NOT NULL
  );
  CREATE INDEX search_documents_by_words ON search_documents USING gin (words);
  CREATE INDEX search_documents_by_time ON search_documents (created_at, number);
  CREATE TABLE search_progress (
    singleton int PRIMARY KEY CHECK (singleton = 1),
    -- executions are indexed up to this milestone
    milestone bigint NOT NULL
  );
  INSERT INTO search_progress VALUES (1, 0);

  -- changes of agent runs that are not indexed yet
  CREATE TABLE search_changes (number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run bigint NOT NULL);
  INSERT INTO search_changes (run) SELECT number FROM agent_runs ORDER BY number;
  CREATE FUNCTION note_changed_run() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    INSERT INTO search_changes (run) VALUES (NEW.number);
    RETURN NULL;
  END $$;
  CREATE TRIGGER search_new_run AFTER INSERT ON agent_runs FOR EACH ROW EXECUTE FUNCTION note_changed_run();
  CREATE TRIGGER search_changed_run AFTER UPDATE OF status ON agent_runs FOR EACH ROW EXECUTE FUNCTION note_changed_run();

  CREATE FUNCTION delete_search_documents() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    DELETE FROM search_documents WHERE execution IN (SELECT number FROM deleted);
    RETURN NULL;
  END $$;
  CREATE TRIGGER search_deleted_executions AFTER DELETE ON executions REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION delete_search_documents();
`
