CREATE TRIGGER long_message_changes AFTER UPDATE OF content ON messages
WHEN NEW.format BETWEEN 0 AND 3 AND octet_length(NEW.content) > 65536 BEGIN
  INSERT INTO long_texts (content) VALUES (NEW.content);
  UPDATE messages SET format = NEW.format + 8,
      content = 'long text ' || (SELECT id FROM long_texts WHERE rowid = last_insert_rowid())
    WHERE session_id = NEW.session_id AND seq = NEW.seq;
END;

CREATE TRIGGER long_message_comes AFTER INSERT ON messages
WHEN NEW.format BETWEEN 0 AND 3 AND octet_length(NEW.content) > 65536 BEGIN
  INSERT INTO long_texts (content) VALUES (NEW.content);
  UPDATE messages SET format = NEW.format + 8,
      content = 'long text ' || (SELECT id FROM long_texts WHERE rowid = last_insert_rowid())
    WHERE session_id = NEW.session_id AND seq = NEW.seq;
END;

CREATE TRIGGER long_message_deleted AFTER DELETE ON messages WHEN OLD.format >= 8 BEGIN
  DELETE FROM long_texts WHERE id = substr(OLD.content, 11)
    AND NOT EXISTS (SELECT 1 FROM messages WHERE format >= 8 AND content = OLD.content)
    AND NOT EXISTS (SELECT 1 FROM message_versions WHERE format >= 8 AND content = OLD.content);
END;

CREATE TRIGGER long_message_known AFTER INSERT ON messages
WHEN NEW.format >= 8 AND NOT EXISTS (SELECT 1 FROM long_texts WHERE id = substr(NEW.content, 11)) BEGIN
  SELECT RAISE(ABORT, 'the long text of this message is not in this database');
END;

CREATE TRIGGER long_message_replaced AFTER UPDATE OF content ON messages WHEN OLD.format >= 8 BEGIN
  DELETE FROM long_texts WHERE id = substr(OLD.content, 11)
    AND NOT EXISTS (SELECT 1 FROM messages WHERE format >= 8 AND content = OLD.content)
    AND NOT EXISTS (SELECT 1 FROM message_versions WHERE format >= 8 AND content = OLD.content);
END;

CREATE TRIGGER long_version_changes AFTER UPDATE OF content ON message_versions
WHEN NEW.format BETWEEN 0 AND 3 AND octet_length(NEW.content) > 65536 BEGIN
  INSERT INTO long_texts (content) VALUES (NEW.content);
  UPDATE message_versions SET format = NEW.format + 8,
      content = 'long text ' || (SELECT id FROM long_texts WHERE rowid = last_insert_rowid())
    WHERE session_id = NEW.session_id AND seq = NEW.seq AND version = NEW.version;
END;

CREATE TRIGGER long_version_comes AFTER INSERT ON message_versions
WHEN NEW.format BETWEEN 0 AND 3 AND octet_length(NEW.content) > 65536 BEGIN
  INSERT INTO long_texts (content) VALUES (NEW.content);
  UPDATE message_versions SET format = NEW.format + 8,
      content = 'long text ' || (SELECT id FROM long_texts WHERE rowid = last_insert_rowid())
    WHERE session_id = NEW.session_id AND seq = NEW.seq AND version = NEW.version;
END;

CREATE TRIGGER long_version_deleted AFTER DELETE ON message_versions WHEN OLD.format >= 8 BEGIN
  DELETE FROM long_texts WHERE id = substr(OLD.content, 11)
    AND NOT EXISTS (SELECT 1 FROM messages WHERE format >= 8 AND content = OLD.content)
    AND NOT EXISTS (SELECT 1 FROM message_versions WHERE format >= 8 AND content = OLD.content);
END;

CREATE TRIGGER long_version_known AFTER INSERT ON message_versions
WHEN NEW.format >= 8 AND NOT EXISTS (SELECT 1 FROM long_texts WHERE id = substr(NEW.content, 11)) BEGIN
  SELECT RAISE(ABORT, 'the long text of this message is not in this database');
END;

CREATE TRIGGER long_version_replaced AFTER UPDATE OF content ON message_versions WHEN OLD.format >= 8 BEGIN
  DELETE FROM long_texts WHERE id = substr(OLD.content, 11)
    AND NOT EXISTS (SELECT 1 FROM messages WHERE format >= 8 AND content = OLD.content)
    AND NOT EXISTS (SELECT 1 FROM message_versions WHERE format >= 8 AND content = OLD.content);
END;

CREATE TRIGGER message_in_parts_changes AFTER UPDATE OF content, format ON messages
WHEN OLD.format BETWEEN 4 AND 7 OR NEW.format BETWEEN 4 AND 7 BEGIN
  UPDATE text_parts SET holders = holders + 1
    WHERE NEW.format BETWEEN 4 AND 7 AND id = CAST(NEW.content AS INTEGER) AND holders IS NOT NULL;
  SELECT RAISE(ABORT, 'the text of this message is not in this database')
    WHERE NEW.format BETWEEN 4 AND 7 AND changes() = 0;
  UPDATE text_parts SET holders = holders - 1
    WHERE OLD.format BETWEEN 4 AND 7 AND id = CAST(OLD.content AS INTEGER);
  DELETE FROM text_parts WHERE OLD.format BETWEEN 4 AND 7
    AND (SELECT holders FROM text_parts WHERE id = CAST(OLD.content AS INTEGER)) = 0
    AND id BETWEEN CAST(OLD.content AS INTEGER)
      AND CAST(OLD.content AS INTEGER) + CAST(substr(OLD.content, instr(OLD.content, ' ')) AS INTEGER) - 1;
END;

CREATE TRIGGER message_in_parts_comes AFTER INSERT ON messages WHEN NEW.format BETWEEN 4 AND 7 BEGIN
  UPDATE text_parts SET holders = holders + 1 WHERE id = CAST(NEW.content AS INTEGER) AND holders IS NOT NULL;
  SELECT RAISE(ABORT, 'the text of this message is not in this database') WHERE changes() = 0;
END;

CREATE TRIGGER message_in_parts_goes AFTER DELETE ON messages WHEN OLD.format BETWEEN 4 AND 7 BEGIN
  UPDATE text_parts SET holders = holders - 1 WHERE id = CAST(OLD.content AS INTEGER);
  DELETE FROM text_parts WHERE (SELECT holders FROM text_parts WHERE id = CAST(OLD.content AS INTEGER)) = 0
    AND id BETWEEN CAST(OLD.content AS INTEGER)
      AND CAST(OLD.content AS INTEGER) + CAST(substr(OLD.content, instr(OLD.content, ' ')) AS INTEGER) - 1;
END;

CREATE TRIGGER segment_people_erased AFTER UPDATE OF text ON segments
WHEN NEW.text = '""' AND NEW.people IS NOT NULL BEGIN
  UPDATE segments SET people = NULL WHERE session_id = NEW.session_id AND id = NEW.id;
END;

CREATE TRIGGER version_in_parts_changes AFTER UPDATE OF content, format ON message_versions
WHEN OLD.format BETWEEN 4 AND 7 OR NEW.format BETWEEN 4 AND 7 BEGIN
  UPDATE text_parts SET holders = holders + 1
    WHERE NEW.format BETWEEN 4 AND 7 AND id = CAST(NEW.content AS INTEGER) AND holders IS NOT NULL;
  SELECT RAISE(ABORT, 'the text of this message is not in this database')
    WHERE NEW.format BETWEEN 4 AND 7 AND changes() = 0;
  UPDATE text_parts SET holders = holders - 1
    WHERE OLD.format BETWEEN 4 AND 7 AND id = CAST(OLD.content AS INTEGER);
  DELETE FROM text_parts WHERE OLD.format BETWEEN 4 AND 7
    AND (SELECT holders FROM text_parts WHERE id = CAST(OLD.content AS INTEGER)) = 0
    AND id BETWEEN CAST(OLD.content AS INTEGER)
      AND CAST(OLD.content AS INTEGER) + CAST(substr(OLD.content, instr(OLD.content, ' ')) AS INTEGER) - 1;
END;

CREATE TRIGGER version_in_parts_comes AFTER INSERT ON message_versions WHEN NEW.format BETWEEN 4 AND 7 BEGIN
  UPDATE text_parts SET holders = holders + 1 WHERE id = CAST(NEW.content AS INTEGER) AND holders IS NOT NULL;
  SELECT RAISE(ABORT, 'the text of this message is not in this database') WHERE changes() = 0;
END;

CREATE TRIGGER version_in_parts_goes AFTER DELETE ON message_versions WHEN OLD.format BETWEEN 4 AND 7 BEGIN
  UPDATE text_parts SET holders = holders - 1 WHERE id = CAST(OLD.content AS INTEGER);
  DELETE FROM text_parts WHERE (SELECT holders FROM text_parts WHERE id = CAST(OLD.content AS INTEGER)) = 0
    AND id BETWEEN CAST(OLD.content AS INTEGER)
      AND CAST(OLD.content AS INTEGER) + CAST(substr(OLD.content, instr(OLD.content, ' ')) AS INTEGER) - 1;
END;

CREATE TABLE aliases (
  namespace TEXT NOT NULL,
  name_key TEXT NOT NULL,
  session_id INTEGER NOT NULL,
  PRIMARY KEY (namespace, name_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE allowances (
  session_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  instants TEXT NOT NULL,
  PRIMARY KEY (session_id, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE api_keys (
  id TEXT NOT NULL PRIMARY KEY,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  -- As JSON.
  scopes TEXT NOT NULL,
  hash TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE beginnings (
  session_id INTEGER NOT NULL,
  after_seq INTEGER NOT NULL,
  folded_through INTEGER NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (session_id, after_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE document_versions (
  document_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  at INTEGER NOT NULL,
  author_kind TEXT NOT NULL,
  -- As JSON.
  author_name TEXT,
  -- The messages behind it, as JSON.
  sources TEXT,
  undoes INTEGER,
  -- What leads back to the version before: how much of its beginning and end is the same, and what stood between.
  back TEXT NOT NULL, whole TEXT,
  PRIMARY KEY (document_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE documents (
  -- Never used again, so that nobody who still holds one can meet another document under it.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace TEXT NOT NULL,
  layer TEXT NOT NULL,
  -- The document's key, or a digest of it where it is too long to be indexed.
  name_key TEXT NOT NULL,
  name TEXT NOT NULL,
  -- Of a chat's own documents: its session.
  session_id INTEGER,
  -- Of a daily log: its day.
  day TEXT,
  version INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- What the workspace's file last said, where there is a workspace.
  mirrored_version INTEGER NOT NULL DEFAULT 0,
  mirrored_hash TEXT,
  -- As JSON, as all texts that may hold anything.
  content TEXT NOT NULL
, first_version INTEGER NOT NULL DEFAULT 1, packed_through INTEGER NOT NULL DEFAULT 0, owner_id TEXT) STRICT;

CREATE TABLE erased_documents (
  namespace TEXT NOT NULL,
  layer TEXT NOT NULL,
  name_key TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (namespace, layer, name_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE erasures (
  -- Never used again, as long as somebody may ask how it went.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace TEXT NOT NULL,
  -- As JSON; NULL once it is not needed any more, since it may name a person.
  target TEXT,
  requested_at INTEGER NOT NULL,
  stage TEXT NOT NULL,
  -- How many there were, by place, as JSON.
  places TEXT NOT NULL,
  -- Where to go on, as JSON.
  progress TEXT,
  -- The highest epoch, version or token that anything had which it took away under its name. What comes under such a
  -- name again begins above it, so that nobody who remembers the old one can take the new one for it.
  highest INTEGER NOT NULL DEFAULT 0
, list_id TEXT) STRICT;

CREATE TABLE event_consumers (
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  -- What they have read, in which generation of the database.
  major INTEGER NOT NULL,
  minor INTEGER NOT NULL,
  generation_key TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  seen_lived_ms INTEGER NOT NULL,
  PRIMARY KEY (namespace, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE event_trim (
  row INTEGER NOT NULL PRIMARY KEY CHECK (row = 1),
  -- Events are gone through this position.
  through_major INTEGER NOT NULL DEFAULT 0,
  through_minor INTEGER NOT NULL DEFAULT 0,
  -- Time that has passed while programs ran here. No clock can be believed: a jump counts as a day at most.
  lived_ms INTEGER NOT NULL DEFAULT 0,
  looked_at INTEGER,
  -- As the last look had it.
  retention_ms INTEGER,
  -- When (in lived time) which event was the newest, as JSON: by these an event is known to be old.
  marks TEXT NOT NULL DEFAULT '[]'
) STRICT;

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
, document_id INTEGER) STRICT;

CREATE TABLE facts (
  document_id INTEGER NOT NULL,
  id INTEGER NOT NULL,
  line TEXT NOT NULL,
  -- The line, or a digest of it where it is too long to be indexed.
  line_key TEXT NOT NULL,
  subject TEXT,
  session_id INTEGER NOT NULL,
  from_seq INTEGER NOT NULL,
  to_seq INTEGER NOT NULL,
  said_at INTEGER NOT NULL,
  -- The day that it speaks of.
  on_day TEXT,
  source TEXT NOT NULL,
  version INTEGER NOT NULL,
  superseded_at INTEGER,
  -- The version that took its place, so that with it what it replaced can come back.
  superseded_by INTEGER, gone INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (document_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE fold_history (
  session_id INTEGER NOT NULL,
  -- The event's.
  id INTEGER NOT NULL,
  type INTEGER NOT NULL,
  at INTEGER NOT NULL,
  from_seq INTEGER,
  to_seq INTEGER,
  -- As the event's; or without the names of its fields, where it has the usual ones: a list.
  data TEXT,
  PRIMARY KEY (session_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE hidden_ranges (
  session_id INTEGER NOT NULL,
  from_seq INTEGER NOT NULL,
  to_seq INTEGER NOT NULL,
  PRIMARY KEY (session_id, from_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE identity (
  row INTEGER NOT NULL PRIMARY KEY CHECK (row = 1),
  id TEXT NOT NULL,
  generation INTEGER NOT NULL,
  -- Two copies of one backup have the same generation, and each a key of its own.
  generation_key TEXT NOT NULL
) STRICT;

CREATE TABLE index_blocks (
  session_id INTEGER NOT NULL,
  block INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (session_id, block)
) STRICT, WITHOUT ROWID;

CREATE TABLE index_changes (
  session_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (session_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE layout (
  row INTEGER NOT NULL PRIMARY KEY CHECK (row = 1),
  is_compact INTEGER NOT NULL
) STRICT;

CREATE TABLE leases (
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  token INTEGER NOT NULL,
  owner TEXT,
  until INTEGER,
  PRIMARY KEY (namespace, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE long_texts (
  -- No other database has the same: a mark that comes from one means nothing here.
  id TEXT NOT NULL PRIMARY KEY DEFAULT (lower(hex(randomblob(16)))),
  content TEXT NOT NULL
) STRICT;

CREATE TABLE memos (
  session_id INTEGER NOT NULL,
  version INTEGER NOT NULL,
  through_seq INTEGER NOT NULL,
  memo TEXT NOT NULL,
  PRIMARY KEY (session_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE message_versions (
  session_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  version INTEGER NOT NULL,
  content TEXT NOT NULL,
  format INTEGER NOT NULL,
  replaced_at INTEGER NOT NULL,
  PRIMARY KEY (session_id, seq, version)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE mirrors (
  namespace TEXT PRIMARY KEY,
  folder TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE operations (
  session_id INTEGER NOT NULL,
  operation_id TEXT NOT NULL,
  result TEXT NOT NULL, number INTEGER,
  PRIMARY KEY (session_id, operation_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE packs (
  -- Never used again: a mark can never lead to what another stood for.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Whose texts they are: a session's segments, or a document's facts and versions.
  session_id INTEGER,
  document_id INTEGER,
  -- How many of its places are taken, and what they take when they are read. 0: the texts of one row that is read often,
  -- by themselves and not compressed. They stand here so that its own table stays small.
  places INTEGER NOT NULL,
  octets INTEGER NOT NULL,
  -- By place, as JSON, compressed.
  data BLOB NOT NULL
) STRICT;

CREATE TABLE pins (
  session_id INTEGER NOT NULL,
  id INTEGER NOT NULL,
  seq INTEGER,
  note TEXT,
  tokens INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (session_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE postings (
  session_id INTEGER NOT NULL,
  term TEXT NOT NULL,
  first_seq INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (session_id, term, first_seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE requests (
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  -- As JSON; NULL: it is under way.
  answer TEXT,
  until INTEGER NOT NULL,
  PRIMARY KEY (namespace, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE revision (
  id INTEGER NOT NULL PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT;

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
  created_at INTEGER NOT NULL, text TEXT NOT NULL DEFAULT '""', withheld INTEGER NOT NULL DEFAULT 0, window_messages TEXT, window_through INTEGER, people TEXT,
  PRIMARY KEY (session_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE senders (
  id INTEGER PRIMARY KEY,
  namespace TEXT NOT NULL,
  sender_key TEXT NOT NULL,
  sender TEXT NOT NULL
) STRICT;

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
, calibrations TEXT, epoch_calibrations TEXT, rewrites TEXT, layers TEXT, layers_epoch INTEGER NOT NULL DEFAULT -1, extracted_through INTEGER NOT NULL DEFAULT 0, extract_at INTEGER, extract_not_before INTEGER, indexed_through INTEGER NOT NULL DEFAULT 0, first_epoch INTEGER NOT NULL DEFAULT 0, erased_epoch INTEGER, zone TEXT, begins_after INTEGER NOT NULL DEFAULT 0, corrections TEXT, rebuild_at INTEGER) STRICT;

CREATE TABLE settings (
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (namespace, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE spending (
  -- 0: all sessions of the namespace together.
  session_id INTEGER NOT NULL,
  namespace TEXT NOT NULL,
  model TEXT NOT NULL,
  window_start INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY (session_id, namespace, model, window_start)
) STRICT, WITHOUT ROWID;

CREATE TABLE sqlite_sequence(name,seq);

CREATE TABLE text_parts (
  id INTEGER PRIMARY KEY,
  -- Of a first part: how many rows have the text. A fork and a kept version have the same one.
  holders INTEGER,
  content TEXT NOT NULL
) STRICT;

CREATE TABLE waiting (
  -- Never used again, so that nobody who has read up to one can miss another under it.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace TEXT NOT NULL,
  session_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  -- As JSON, as all texts that may hold anything.
  burst TEXT NOT NULL,
  address TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  sent TEXT,
  -- The messages of the answer, as JSON; NULL: there is none yet.
  reply TEXT
) STRICT;

CREATE INDEX aliases_by_session ON aliases (session_id);

CREATE UNIQUE INDEX api_keys_by_name ON api_keys (namespace, name);

CREATE UNIQUE INDEX documents_by_key ON documents (namespace, layer, name_key);

CREATE INDEX documents_by_owner ON documents (namespace, owner_id) WHERE owner_id IS NOT NULL;

CREATE INDEX documents_of_day ON documents (namespace, day) WHERE day IS NOT NULL;

CREATE INDEX documents_of_session ON documents (session_id) WHERE session_id IS NOT NULL;

CREATE INDEX documents_to_pack ON documents (session_id, day) WHERE day IS NOT NULL AND packed_through = 0;

CREATE INDEX documents_unmirrored ON documents (namespace) WHERE mirrored_version <> version;

CREATE INDEX erasures_highest ON erasures (namespace, highest);

CREATE INDEX erasures_open ON erasures (namespace, id) WHERE stage <> 'done';

CREATE INDEX events_of_document ON events (document_id) WHERE document_id IS NOT NULL;

CREATE INDEX events_of_folds ON events (session_id, id) WHERE type IN (6, 7);

CREATE INDEX facts_by_line ON facts (document_id + 0, line_key);

CREATE INDEX facts_by_origin ON facts (session_id, to_seq, from_seq);

CREATE INDEX facts_gone ON facts (document_id, gone) WHERE gone > 1;

CREATE INDEX facts_superseded ON facts (document_id, superseded_by) WHERE superseded_by IS NOT NULL;

CREATE INDEX leases_held ON leases (namespace, name) WHERE owner IS NOT NULL;

CREATE INDEX memos_by_cursor ON memos (session_id, through_seq);

CREATE INDEX message_versions_by_long_text ON message_versions (content) WHERE format >= 8;

CREATE UNIQUE INDEX messages_by_external_key ON messages (session_id, external_key)
  WHERE external_key IS NOT NULL;

CREATE INDEX messages_by_long_text ON messages (content) WHERE format >= 8;

CREATE INDEX operations_in_order ON operations (session_id, number) WHERE number IS NOT NULL;

CREATE INDEX packs_of_document ON packs (document_id, id) WHERE document_id IS NOT NULL;

CREATE INDEX packs_of_session ON packs (session_id, id) WHERE session_id IS NOT NULL;

CREATE INDEX requests_by_end ON requests (until);

CREATE INDEX segments_by_end ON segments (session_id, to_seq, from_seq);

CREATE INDEX segments_outdated ON segments (session_id, from_seq) WHERE state = 'dirty' OR withheld < 0;

CREATE INDEX segments_rolled_up ON segments (session_id, rolled_into) WHERE rolled_into IS NOT NULL;

CREATE INDEX segments_shown ON segments (session_id, from_seq) WHERE rolled_into IS NULL;

CREATE INDEX segments_windows ON segments (session_id, window_through) WHERE window_through IS NOT NULL;

CREATE INDEX segments_withheld ON segments (session_id, id) WHERE withheld > 0;

CREATE UNIQUE INDEX senders_by_key ON senders (namespace, sender_key);

CREATE INDEX sessions_building ON sessions (id) WHERE ready = 0;

CREATE UNIQUE INDEX sessions_by_name ON sessions (namespace, name_key);

CREATE INDEX sessions_due ON sessions (namespace, due_at) WHERE due_at IS NOT NULL;

CREATE INDEX sessions_erased ON sessions (id) WHERE ready > 1;

CREATE INDEX sessions_forked ON sessions (namespace) WHERE origin IS NOT NULL;

CREATE INDEX sessions_of_scope ON sessions (namespace, substr(scope_id, 1, 200), name_key) WHERE scope_id IS NOT NULL;

CREATE INDEX sessions_of_user ON sessions (namespace, substr(user_id, 1, 200), name_key) WHERE user_id IS NOT NULL;

CREATE INDEX sessions_pending ON sessions (namespace, name_key) WHERE pending IS NOT NULL;

CREATE INDEX sessions_to_extract ON sessions (namespace, extract_at) WHERE extract_at IS NOT NULL;

CREATE INDEX sessions_to_rebuild ON sessions (namespace, rebuild_at) WHERE rebuild_at IS NOT NULL;

CREATE INDEX spending_by_window ON spending (window_start);

CREATE UNIQUE INDEX waiting_by_message ON waiting (session_id, seq);

CREATE INDEX waiting_in_order ON waiting (namespace, id);
