-- The log and what folding keeps beside it. PostgreSQL's file of the same name says the same in its words.
-- Instants are milliseconds since 1970 in UTC. A session's integer key stands for (namespace, name)
-- everywhere below, so that no row can be reached without its namespace.

CREATE TABLE sessions (
  -- Never used again, so that nobody who still holds one can meet another session under it.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace TEXT NOT NULL,
  -- The caller's id, or a digest of it where it is too long to be indexed.
  name_key TEXT NOT NULL,
  name TEXT NOT NULL,
  -- 0 while a fork or an import is still being written: nobody sees it yet.
  ready INTEGER NOT NULL DEFAULT 1,
  kind TEXT NOT NULL,
  user_id TEXT,
  scope_id TEXT,
  origin TEXT,
  settings TEXT,
  created_at INTEGER NOT NULL,
  epoch INTEGER NOT NULL DEFAULT 0,

  compacted_through INTEGER NOT NULL DEFAULT 0,
  folded_messages INTEGER NOT NULL DEFAULT 0,
  folded_turns INTEGER NOT NULL DEFAULT 0,
  folded_characters INTEGER NOT NULL DEFAULT 0,
  folded_tokens INTEGER NOT NULL DEFAULT 0,
  decided_messages INTEGER NOT NULL DEFAULT 0,
  decided_replies INTEGER NOT NULL DEFAULT 0,
  decided_at INTEGER,
  last_fold_at INTEGER,
  -- By reason: at which sizes a decision moved nothing, as JSON.
  stalled TEXT,
  segment_tokens INTEGER NOT NULL DEFAULT 0,
  overhead_tokens INTEGER NOT NULL DEFAULT 0,
  backoff_until INTEGER,
  failures INTEGER NOT NULL DEFAULT 0,
  last_outcome TEXT,

  -- After a rollback: the newest hidden message, and the newest visible one below it.
  hidden_through INTEGER NOT NULL DEFAULT 0,
  visible_before INTEGER NOT NULL DEFAULT 0,

  -- The decision that waits to be carried out, and when a rule about time is next due.
  pending TEXT,
  due_at INTEGER,
  lease_token INTEGER NOT NULL DEFAULT 0,
  lease_owner TEXT,
  -- While a session is still being written: when it counts as abandoned.
  lease_until INTEGER
) STRICT;

CREATE UNIQUE INDEX sessions_by_name ON sessions (namespace, name_key);
CREATE INDEX sessions_building ON sessions (id) WHERE ready = 0;
CREATE INDEX sessions_pending ON sessions (namespace, name_key) WHERE pending IS NOT NULL;
CREATE INDEX sessions_due ON sessions (namespace, due_at) WHERE due_at IS NOT NULL;

-- Each way in which somebody appeared, once: messages name it by its number.
CREATE TABLE senders (
  id INTEGER PRIMARY KEY,
  namespace TEXT NOT NULL,
  sender_key TEXT NOT NULL,
  sender TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX senders_by_key ON senders (namespace, sender_key);

CREATE TABLE messages (
  session_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  role INTEGER NOT NULL,
  sender_id INTEGER,
  content TEXT NOT NULL,
  -- 0: text as it is; 1: text as JSON, which both databases can hold whatever it contains; 2: parts as JSON.
  format INTEGER NOT NULL,
  at INTEGER NOT NULL,
  -- Milliseconds from `at` until it reached the log.
  lag INTEGER NOT NULL,
  external_key TEXT,
  -- What few messages have, as JSON: zone, replyTo, and an external id that is too long to be its own key.
  extras TEXT,
  version INTEGER NOT NULL DEFAULT 1,
  characters INTEGER NOT NULL,
  tokens INTEGER NOT NULL,

  -- Running totals, this message included, and its place in its turn.
  flags INTEGER NOT NULL,
  position INTEGER NOT NULL,
  total_messages INTEGER NOT NULL,
  total_turns INTEGER NOT NULL,
  total_replies INTEGER NOT NULL,
  total_characters INTEGER NOT NULL,
  total_tokens INTEGER NOT NULL,

  PRIMARY KEY (session_id, seq)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX messages_by_external_key ON messages (session_id, external_key)
  WHERE external_key IS NOT NULL;

-- What an edit replaced.
CREATE TABLE message_versions (
  session_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  version INTEGER NOT NULL,
  content TEXT NOT NULL,
  format INTEGER NOT NULL,
  replaced_at INTEGER NOT NULL,
  PRIMARY KEY (session_id, seq, version)
) STRICT, WITHOUT ROWID;

-- What a rollback hid. The ranges of a session never touch each other.
CREATE TABLE hidden_ranges (
  session_id INTEGER NOT NULL,
  from_seq INTEGER NOT NULL,
  to_seq INTEGER NOT NULL,
  PRIMARY KEY (session_id, from_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE segments (
  session_id INTEGER NOT NULL,
  id INTEGER NOT NULL,
  from_seq INTEGER NOT NULL,
  to_seq INTEGER NOT NULL,
  message_count INTEGER NOT NULL,
  summary TEXT NOT NULL,
  events TEXT NOT NULL,
  details TEXT NOT NULL,
  level INTEGER NOT NULL,
  state TEXT NOT NULL,
  rolled_into INTEGER,
  type TEXT NOT NULL,
  reason TEXT NOT NULL,
  summarizer TEXT NOT NULL,
  prompt_version TEXT NOT NULL,
  tokens_before INTEGER NOT NULL,
  tokens_after INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (session_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX segments_shown ON segments (session_id, from_seq) WHERE rolled_into IS NULL;
CREATE INDEX segments_rolled_up ON segments (session_id, rolled_into) WHERE rolled_into IS NOT NULL;

-- Every version of the memo, so that a rollback finds the one that knew no more than what is left.
CREATE TABLE memos (
  session_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  through_seq INTEGER NOT NULL,
  memo TEXT NOT NULL,
  PRIMARY KEY (session_id, version)
) STRICT, WITHOUT ROWID;

-- Commits that were made, so that a repeat changes nothing.
CREATE TABLE operations (
  session_id INTEGER NOT NULL,
  operation_id TEXT NOT NULL,
  result TEXT NOT NULL,
  PRIMARY KEY (session_id, operation_id)
) STRICT, WITHOUT ROWID;

-- The outbox: what happened, without content. Written in the transaction of the change itself.
CREATE TABLE events (
  -- Not AUTOINCREMENT, which would write a page more in every append: so the newest event is never deleted.
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL,
  -- A place in EVENT_TYPES, which only grows at its end.
  type INTEGER NOT NULL,
  at INTEGER NOT NULL,
  from_seq INTEGER,
  to_seq INTEGER,
  data TEXT
) STRICT;
