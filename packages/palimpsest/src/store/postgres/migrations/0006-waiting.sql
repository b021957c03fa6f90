-- What is still owed: messages that wait for an answer, and answers that wait to be delivered.

CREATE TABLE waiting (
  -- Never used again, so that nobody who has read up to one can miss another under it.
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  namespace TEXT COLLATE "C" NOT NULL,
  session_id BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  -- As JSON, as all texts that may hold anything.
  burst TEXT NOT NULL,
  address TEXT NOT NULL,
  received_at BIGINT NOT NULL,
  attempts BIGINT NOT NULL DEFAULT 0,
  sent TEXT,
  -- The messages of the answer, as JSON; NULL: there is none yet.
  reply TEXT
);

CREATE UNIQUE INDEX waiting_by_message ON waiting (session_id, seq);
CREATE INDEX waiting_in_order ON waiting (namespace, id);
