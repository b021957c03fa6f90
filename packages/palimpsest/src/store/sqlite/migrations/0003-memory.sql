-- Memory documents beside the log.

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
) STRICT;

CREATE UNIQUE INDEX documents_by_key ON documents (namespace, layer, name_key);
CREATE INDEX documents_of_session ON documents (session_id) WHERE session_id IS NOT NULL;
CREATE INDEX documents_of_day ON documents (namespace, day) WHERE day IS NOT NULL;
CREATE INDEX documents_unmirrored ON documents (namespace) WHERE mirrored_version <> version;

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
  back TEXT NOT NULL,
  PRIMARY KEY (document_id, version)
) STRICT, WITHOUT ROWID;

-- What a line of a document says, where it comes from and how long it held.
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
  superseded_by INTEGER,
  PRIMARY KEY (document_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX facts_by_origin ON facts (session_id, to_seq);
CREATE INDEX facts_by_line ON facts (document_id, line_key);

-- One holder at a time over all processes, of anything that has a name.
CREATE TABLE leases (
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  token INTEGER NOT NULL,
  owner TEXT,
  until INTEGER,
  PRIMARY KEY (namespace, name)
) STRICT, WITHOUT ROWID;

-- The folder that a namespace's documents are mirrored in.
CREATE TABLE mirrors (
  namespace TEXT PRIMARY KEY,
  folder TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What contexts show of memory, as JSON, and the epoch that it holds for.
ALTER TABLE sessions ADD COLUMN layers TEXT;
ALTER TABLE sessions ADD COLUMN layers_epoch INTEGER NOT NULL DEFAULT -1;
-- How far user and scope memory were extracted, and when that goes on.
ALTER TABLE sessions ADD COLUMN extracted_through INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN extract_at INTEGER;
-- After a failure: not before then, whatever is said meanwhile.
ALTER TABLE sessions ADD COLUMN extract_not_before INTEGER;

-- What was said before there was such memory is not read for it: that would be all of history at once.
UPDATE sessions SET extracted_through = coalesce((SELECT max(seq) FROM messages WHERE session_id = sessions.id), 0);

CREATE INDEX sessions_to_extract ON sessions (namespace, extract_at) WHERE extract_at IS NOT NULL;

-- Changes of a document that belongs to no session have 0 for theirs.
ALTER TABLE events ADD COLUMN document_id INTEGER;
