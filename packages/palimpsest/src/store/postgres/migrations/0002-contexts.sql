-- What contexts and settings need beside the log.

-- How each model's own token counts relate to ours, as JSON: as learned, and as frozen when the epoch began.
ALTER TABLE sessions ADD COLUMN calibrations TEXT;
ALTER TABLE sessions ADD COLUMN epoch_calibrations TEXT;

-- Edits, as JSON pairs of the epoch that each began and the seq that it changed: a fold of older messages need not care.
ALTER TABLE sessions ADD COLUMN rewrites TEXT;

-- A segment as the model reads it, so that its bytes stay whatever later versions of the program would write.
ALTER TABLE segments ADD COLUMN text TEXT NOT NULL DEFAULT '""';

-- What stays in the context word for word through every fold: a message by its seq, or a note of its own.
CREATE TABLE pins (
  session_id BIGINT NOT NULL,
  id BIGINT NOT NULL,
  seq BIGINT,
  note TEXT,
  tokens BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (session_id, id)
);

-- Settings of a namespace that were changed at run time, each as JSON.
CREATE TABLE settings (
  namespace TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (namespace, name)
);
