-- Events are kept for a time. What is older goes, from the oldest on: what is gone is always a beginning.
CREATE TABLE event_trim (
  row INTEGER NOT NULL PRIMARY KEY CHECK (row = 1),
  -- Events are gone through this position.
  through_major BIGINT NOT NULL DEFAULT 0,
  through_minor BIGINT NOT NULL DEFAULT 0,
  -- Time that has passed while programs ran here. No clock can be believed: a jump counts as a day at most.
  lived_ms BIGINT NOT NULL DEFAULT 0,
  looked_at BIGINT,
  -- As the last look had it.
  retention_ms BIGINT,
  -- When (in lived time) which event was the newest, as JSON: by these an event is known to be old.
  marks TEXT NOT NULL DEFAULT '[]'
);

INSERT INTO event_trim (row) VALUES (1);

-- Folds whose events were trimmed: the history of a session goes on here. Rows of events that stayed among those that go
-- would keep their pages.
CREATE TABLE fold_history (
  session_id BIGINT NOT NULL,
  -- The event's.
  id BIGINT NOT NULL,
  type INTEGER NOT NULL,
  at BIGINT NOT NULL,
  from_seq BIGINT,
  to_seq BIGINT,
  -- As the event's; or without the names of its fields, where it has the usual ones: a list.
  data TEXT,
  PRIMARY KEY (session_id, id)
);

-- Readers who gave a name: what they have not read yet is kept for them.
CREATE TABLE event_consumers (
  namespace TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  -- What they have read, in which generation of the database.
  major BIGINT NOT NULL,
  minor BIGINT NOT NULL,
  generation_key TEXT NOT NULL,
  seen_at BIGINT NOT NULL,
  seen_lived_ms BIGINT NOT NULL,
  PRIMARY KEY (namespace, name)
);

-- In which order operations with an id of the caller's came: only so many of a session are kept. NULL: from before.
ALTER TABLE operations ADD COLUMN number BIGINT;
CREATE INDEX operations_in_order ON operations (session_id, number) WHERE number IS NOT NULL;
