-- Events are kept for a time. What is older goes, from the oldest on: what is gone is always a beginning.
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

INSERT INTO event_trim (row) VALUES (1);

-- Folds whose events were trimmed: the history of a session goes on here. Rows of events that stayed among those that go
-- would keep their pages.
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

-- Readers who gave a name: what they have not read yet is kept for them.
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

-- In which order operations with an id of the caller's came: only so many of a session are kept. NULL: from before.
ALTER TABLE operations ADD COLUMN number INTEGER;
CREATE INDEX operations_in_order ON operations (session_id, number) WHERE number IS NOT NULL;
