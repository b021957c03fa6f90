-- What is still owed: messages that wait for an answer, and answers that wait to be delivered.

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

CREATE UNIQUE INDEX waiting_by_message ON waiting (session_id, seq);
CREATE INDEX waiting_in_order ON waiting (namespace, id);
