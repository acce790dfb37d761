const FIRST_QUESTION = `(
  SELECT message FROM messages WHERE conversation = conversations.number AND json_valid(message)
    AND message ->> '$.role' = 'user' ORDER BY seq LIMIT 1
)`

const TEXT_OF_QUESTION = `CASE json_type(${FIRST_QUESTION}, '$.content')
  WHEN 'text' THEN ${FIRST_QUESTION} ->> '$.content'
  WHEN 'array' THEN (
    SELECT value ->> '$.text' FROM json_each(${FIRST_QUESTION}, '$.content') WHERE value ->> '$.type' = 'text' LIMIT 1
  ) END`

/** What conversations over HTTP and memory add, with its values for conversations of earlier versions. */
export const CONVERSATION_UPGRADE = `
  ALTER TABLE conversations ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE conversations ADD COLUMN title TEXT;
  -- ids of the agents that have answered in it, a JSON array
  ALTER TABLE conversations ADD COLUMN agents TEXT NOT NULL DEFAULT '[]';
  -- text of the messages up to number summarised
  ALTER TABLE conversations ADD COLUMN summary TEXT;
  ALTER TABLE conversations ADD COLUMN summarised INTEGER NOT NULL DEFAULT 0;
  UPDATE conversations SET
    created_at = coalesce((
      SELECT min(started_at) FROM agent_runs WHERE conversation_id = id AND json_quote(user_id) = user
    ), updated_at),
    agents = coalesce((
      SELECT json_group_array(DISTINCT agent_id) FROM agent_runs
      WHERE conversation_id = conversations.id AND json_quote(user_id) = user AND requester IS NOT 'agent'
    ), '[]'),
    title = substr(trim(${TEXT_OF_QUESTION}), 1, 120);

  -- whether a message of the API starts with it: an answer with its tool calls is one
  ALTER TABLE messages ADD COLUMN starts INTEGER NOT NULL DEFAULT 1;
  UPDATE messages SET starts = 0 WHERE json_valid(message) AND (
    message ->> '$.role' = 'tool' OR (message ->> '$.role' = 'assistant' AND EXISTS (
      SELECT 1 FROM messages before WHERE before.conversation = messages.conversation AND before.seq = messages.seq - 1
        AND json_valid(before.message) AND before.message ->> '$.role' <> 'user'
    ))
  );
  CREATE INDEX conversations_by_user ON conversations (user, updated_at);
  CREATE INDEX messages_that_start ON messages (conversation, seq) WHERE starts = 1;

  CREATE TABLE working_memory (
    number INTEGER PRIMARY KEY,
    agent_id TEXT NOT NULL,
    -- JSON of the user id; null without a user
    user TEXT NOT NULL,
    -- JSON object
    value TEXT NOT NULL,
    owner TEXT,
    -- counts the changes
    revision INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    UNIQUE (agent_id, user)
  ) STRICT;
  CREATE INDEX working_memory_by_age ON working_memory (used_at);
`
