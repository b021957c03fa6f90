-- Finding and forgetting.

-- In which messages a term stands, packed in rows known by their first one; what lies above a session's indexed_through
-- does not count yet.
CREATE TABLE postings (
  session_id INTEGER NOT NULL,
  term TEXT NOT NULL,
  first_seq INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (session_id, term, first_seq)
) STRICT, WITHOUT ROWID;

-- Of each message of a block, packed: how many terms it has, who said it and when.
CREATE TABLE index_blocks (
  session_id INTEGER NOT NULL,
  block INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (session_id, block)
) STRICT, WITHOUT ROWID;

-- Messages that were edited since they were indexed.
CREATE TABLE index_changes (
  session_id INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (session_id, seq)
) STRICT, WITHOUT ROWID;

ALTER TABLE sessions ADD COLUMN indexed_through INTEGER NOT NULL DEFAULT 0;

-- What was asked to be erased, and how far that is.
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
) STRICT;

CREATE INDEX erasures_open ON erasures (namespace, id) WHERE stage <> 'done';
CREATE INDEX erasures_highest ON erasures (namespace, highest);

-- Documents that an erasure took away whole, as long as a workspace may still have their files.
CREATE TABLE erased_documents (
  namespace TEXT NOT NULL,
  layer TEXT NOT NULL,
  name_key TEXT NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (namespace, layer, name_key)
) STRICT, WITHOUT ROWID;

-- What an erasure left of a segment: 0 all of it, 1 an extract until it is summarised anew, 2 nothing yet.
ALTER TABLE segments ADD COLUMN withheld INTEGER NOT NULL DEFAULT 0;
CREATE INDEX segments_withheld ON segments (session_id, level, id) WHERE withheld > 0;
CREATE INDEX segments_by_end ON segments (session_id, to_seq, from_seq);

-- Of the versions of a document those below this one are gone.
ALTER TABLE documents ADD COLUMN first_version INTEGER NOT NULL DEFAULT 1;

-- The epoch that a session began with: above that of all which had its name before.
ALTER TABLE sessions ADD COLUMN first_epoch INTEGER NOT NULL DEFAULT 0;
-- Beside 0 and 1, `ready` is 2 for a session that is being erased and 3 when only its row is left. `lease_owner` is
-- then the erasure.
CREATE INDEX sessions_erased ON sessions (id) WHERE ready > 1;
CREATE INDEX sessions_forked ON sessions (namespace) WHERE origin IS NOT NULL;

-- 1: a rollback took it out, so that only earlier versions tell it. 2: its line is to be erased from all versions, too.
-- 3: that is under way.
ALTER TABLE facts ADD COLUMN gone INTEGER NOT NULL DEFAULT 0;
CREATE INDEX facts_gone ON facts (document_id) WHERE gone > 1;
-- With both ends of a range, so that those over a message are found without their rows.
DROP INDEX facts_by_origin;
CREATE INDEX facts_by_origin ON facts (session_id, to_seq, from_seq);

CREATE INDEX events_of_document ON events (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX leases_held ON leases (namespace, name) WHERE owner IS NOT NULL;
