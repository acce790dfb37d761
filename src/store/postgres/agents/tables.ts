/** The tables of agent runs and conversations. */
export const AGENT_TABLES = `
  CREATE TABLE agent_runs (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    agent_id text COLLATE "C" NOT NULL,
    status text NOT NULL,
    owner_epoch bigint NOT NULL,
    started_at bigint NOT NULL,
    ended_at bigint,
    user_id text COLLATE "C",
    conversation_id text COLLATE "C",
    trace_id text COLLATE "C" NOT NULL,
    input text NOT NULL,
    output text,
    error text,
    model text NOT NULL,
    usage text,
    steps text,
    -- what requested it: step or agent; null for a caller
    requester text
  );
  CREATE INDEX agent_runs_newest ON agent_runs (started_at, number);
  CREATE INDEX agent_runs_by_agent ON agent_runs (agent_id, started_at, number);
  CREATE INDEX agent_runs_by_status ON agent_runs (agent_id, status, started_at, number);
  CREATE INDEX agent_runs_by_user ON agent_runs (user_id, started_at, number) WHERE user_id IS NOT NULL;
  CREATE INDEX agent_runs_by_conversation ON agent_runs (conversation_id, started_at, number)
    WHERE conversation_id IS NOT NULL;
  CREATE INDEX agent_runs_open ON agent_runs (owner_epoch) WHERE ended_at IS NULL;
  CREATE INDEX agent_runs_by_end ON agent_runs (ended_at) WHERE ended_at IS NOT NULL;

  CREATE TABLE conversations (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- JSON of the user id; null without a user
    user_key text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    updated_at bigint NOT NULL,
    owner text,
    -- number of the last message; of messages up to forgotten, none is valid any more
    last_message bigint NOT NULL,
    forgotten bigint NOT NULL DEFAULT 0,
    UNIQUE (user_key, id)
  );
  CREATE INDEX conversations_by_age ON conversations (updated_at);

  CREATE TABLE messages (
    conversation bigint NOT NULL REFERENCES conversations ON DELETE CASCADE,
    seq bigint NOT NULL,
    message text NOT NULL,
    PRIMARY KEY (conversation, seq)
  );
`

/** What conversations over HTTP and memory add. Machines of the release before insert rows without it. */
export const CONVERSATION_COLUMNS = `
  ALTER TABLE conversations
    ADD COLUMN created_at bigint NOT NULL DEFAULT (extract(epoch FROM now()) * 1000)::bigint,
    ADD COLUMN title text,
    -- ids of the agents that have answered in it
    ADD COLUMN agents text[] NOT NULL DEFAULT '{}',
    -- text of the messages up to number summarised
    ADD COLUMN summary text,
    ADD COLUMN summarised bigint NOT NULL DEFAULT 0;
  -- whether a message of the API starts with it: an answer with its tool calls is one
  ALTER TABLE messages ADD COLUMN starts boolean NOT NULL DEFAULT true;
  CREATE INDEX conversations_by_user ON conversations (user_key, updated_at);
  CREATE INDEX messages_that_start ON messages (conversation, seq) WHERE starts;

  CREATE TABLE working_memory (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    agent_id text COLLATE "C" NOT NULL,
    -- JSON of the user id; null without a user
    user_key text COLLATE "C" NOT NULL,
    -- JSON object
    value text NOT NULL,
    owner text,
    -- counts the changes
    revision bigint NOT NULL,
    used_at bigint NOT NULL,
    UNIQUE (agent_id, user_key)
  );
  CREATE INDEX working_memory_by_age ON working_memory (used_at);
`
