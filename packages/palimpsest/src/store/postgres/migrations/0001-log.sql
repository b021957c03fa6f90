-- The log and what folding keeps beside it. SQLite's file of the same name says the same in its words.
-- Instants are milliseconds since 1970 in UTC. A session's integer key stands for (namespace, name)
-- everywhere below, so that no row can be reached without its namespace.

CREATE TABLE sessions (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace TEXT COLLATE "C" NOT NULL,
  -- The caller's id, or a digest of it where it is too long to be indexed.
  name_key TEXT COLLATE "C" NOT NULL,
  name TEXT NOT NULL,
  -- 0 while a fork or an import is still being written: nobody sees it yet.
  ready INTEGER NOT NULL DEFAULT 1,
  kind TEXT NOT NULL,
  user_id TEXT,
  scope_id TEXT,
  origin TEXT,
  settings TEXT,
  created_at BIGINT NOT NULL,
  epoch BIGINT NOT NULL DEFAULT 0,

  compacted_through BIGINT NOT NULL DEFAULT 0,
  folded_messages BIGINT NOT NULL DEFAULT 0,
  folded_turns BIGINT NOT NULL DEFAULT 0,
  folded_characters BIGINT NOT NULL DEFAULT 0,
  folded_tokens BIGINT NOT NULL DEFAULT 0,
  decided_messages BIGINT NOT NULL DEFAULT 0,
  decided_replies BIGINT NOT NULL DEFAULT 0,
  decided_at BIGINT,
  last_fold_at BIGINT,
  -- By reason: at which sizes a decision moved nothing, as JSON.
  stalled TEXT,
  segment_tokens BIGINT NOT NULL DEFAULT 0,
  overhead_tokens BIGINT NOT NULL DEFAULT 0,
  backoff_until BIGINT,
  failures BIGINT NOT NULL DEFAULT 0,
  last_outcome TEXT,

  -- After a rollback: the newest hidden message, and the newest visible one below it.
  hidden_through BIGINT NOT NULL DEFAULT 0,
  visible_before BIGINT NOT NULL DEFAULT 0,

  -- The decision that waits to be carried out, and when a rule about time is next due.
  pending TEXT,
  due_at BIGINT,
  lease_token BIGINT NOT NULL DEFAULT 0,
  lease_owner TEXT,
  -- While a session is still being written: when it counts as abandoned.
  lease_until BIGINT
);

CREATE UNIQUE INDEX sessions_by_name ON sessions (namespace, name_key);
CREATE INDEX sessions_building ON sessions (id) WHERE ready = 0;
CREATE INDEX sessions_pending ON sessions (namespace, name_key) WHERE pending IS NOT NULL;
CREATE INDEX sessions_due ON sessions (namespace, due_at) WHERE due_at IS NOT NULL;

-- Each way in which somebody appeared, once: messages name it by its number.
CREATE TABLE senders (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace TEXT COLLATE "C" NOT NULL,
  sender_key TEXT COLLATE "C" NOT NULL,
  sender TEXT NOT NULL
);

CREATE UNIQUE INDEX senders_by_key ON senders (namespace, sender_key);

CREATE TABLE messages (
  session_id BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  role INTEGER NOT NULL,
  sender_id BIGINT,
  content TEXT NOT NULL,
  -- 0: text as it is; 1: text as JSON, which both databases can hold whatever it contains; 2: parts as JSON.
  format INTEGER NOT NULL,
  at BIGINT NOT NULL,
  -- Milliseconds from `at` until it reached the log.
  lag BIGINT NOT NULL,
  external_key TEXT COLLATE "C",
  -- What few messages have, as JSON: zone, replyTo, and an external id that is too long to be its own key.
  extras TEXT,
  version INTEGER NOT NULL DEFAULT 1,
  characters BIGINT NOT NULL,
  tokens BIGINT NOT NULL,

  -- Running totals, this message included, and its place in its turn.
  flags INTEGER NOT NULL,
  position INTEGER NOT NULL,
  total_messages BIGINT NOT NULL,
  total_turns BIGINT NOT NULL,
  total_replies BIGINT NOT NULL,
  total_characters BIGINT NOT NULL,
  total_tokens BIGINT NOT NULL,

  PRIMARY KEY (session_id, seq)
);

CREATE UNIQUE INDEX messages_by_external_key ON messages (session_id, external_key)
  WHERE external_key IS NOT NULL;

-- What an edit replaced.
CREATE TABLE message_versions (
  session_id BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  version INTEGER NOT NULL,
  content TEXT NOT NULL,
  format INTEGER NOT NULL,
  replaced_at BIGINT NOT NULL,
  PRIMARY KEY (session_id, seq, version)
);

-- What a rollback hid. The ranges of a session never touch each other.
CREATE TABLE hidden_ranges (
  session_id BIGINT NOT NULL,
  from_seq BIGINT NOT NULL,
  to_seq BIGINT NOT NULL,
  PRIMARY KEY (session_id, from_seq)
);

CREATE TABLE segments (
  session_id BIGINT NOT NULL,
  id BIGINT NOT NULL,
  from_seq BIGINT NOT NULL,
  to_seq BIGINT NOT NULL,
  message_count BIGINT NOT NULL,
  summary TEXT NOT NULL,
  events TEXT NOT NULL,
  details TEXT NOT NULL,
  level INTEGER NOT NULL,
  state TEXT NOT NULL,
  rolled_into BIGINT,
  type TEXT NOT NULL,
  reason TEXT NOT NULL,
  summarizer TEXT NOT NULL,
  prompt_version TEXT NOT NULL,
  tokens_before BIGINT NOT NULL,
  tokens_after BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (session_id, id)
);

CREATE INDEX segments_shown ON segments (session_id, from_seq) WHERE rolled_into IS NULL;
CREATE INDEX segments_rolled_up ON segments (session_id, rolled_into) WHERE rolled_into IS NOT NULL;

-- Every version of the memo, so that a rollback finds the one that knew no more than what is left.
CREATE TABLE memos (
  session_id BIGINT NOT NULL,
  version INTEGER NOT NULL,
  through_seq BIGINT NOT NULL,
  memo TEXT NOT NULL,
  PRIMARY KEY (session_id, version)
);

-- Commits that were made, so that a repeat changes nothing.
CREATE TABLE operations (
  session_id BIGINT NOT NULL,
  operation_id TEXT NOT NULL,
  result TEXT NOT NULL,
  PRIMARY KEY (session_id, operation_id)
);

-- The outbox: what happened, without content. Written in the transaction of the change itself.
CREATE TABLE events (
  id BIGINT GENERATED ALWAYS AS IDENTITY,
  -- Ids are given before commits, so they can become visible out of order; transactions older than every
  -- running one cannot. A reader goes by both.
  transaction_id XID8 NOT NULL DEFAULT pg_current_xact_id(),
  session_id BIGINT NOT NULL,
  -- A place in EVENT_TYPES, which only grows at its end.
  type INTEGER NOT NULL,
  at BIGINT NOT NULL,
  from_seq BIGINT,
  to_seq BIGINT,
  data TEXT,
  PRIMARY KEY (transaction_id, id)
);
