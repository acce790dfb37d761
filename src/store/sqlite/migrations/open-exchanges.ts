/** The messages of runs that have not ended. */
export const OPEN_EXCHANGES = `
  -- conversations.number, until the run ends; null when it extends none
  ALTER TABLE agent_runs ADD COLUMN conversation INTEGER;
  -- JSON: the messages that it adds to the conversation
  ALTER TABLE agent_runs ADD COLUMN exchange TEXT;
  CREATE INDEX agent_runs_in_conversation ON agent_runs (conversation) WHERE conversation IS NOT NULL;
  CREATE TRIGGER agent_runs_leave AFTER UPDATE OF ended_at ON agent_runs
    WHEN new.ended_at IS NOT NULL AND new.conversation IS NOT NULL
  BEGIN
    UPDATE agent_runs SET conversation = NULL, exchange = NULL WHERE number = new.number;
  END;
  -- numbers of deleted rows are used again
  CREATE TRIGGER conversations_delete AFTER DELETE ON conversations BEGIN
    UPDATE agent_runs SET conversation = NULL, exchange = NULL WHERE conversation = old.number;
  END;
`
